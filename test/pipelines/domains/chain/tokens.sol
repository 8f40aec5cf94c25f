// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

contract Plain {
    string public name = "Plain";
    string public symbol = "PLN";
    uint256 public totalSupply = 1e27;
    mapping(address account => uint256) internal held;
    mapping(address owner => mapping(address spender => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor() {
        held[msg.sender] = totalSupply;
    }

    function decimals() external view virtual returns (uint8) {
        return 18;
    }

    function balanceOf(address account) public view virtual returns (uint256) {
        return held[account];
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transfer(address to, uint256 value) external virtual returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
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
    }
}

contract Bytes32Name {
    bytes32 public name = "Maker";
    bytes32 public symbol = "MKR";
    uint8 public decimals = 18;
    uint256 public totalSupply = 1e24;

    function balanceOf(address) external pure returns (uint256) {
        return 5e18;
    }
}

contract WildName is Plain {
    constructor(string memory givenName, string memory givenSymbol) {
        (name, symbol) = (givenName, givenSymbol);
    }
}

contract NoDecimals {
    string public name = "Atoms only";
    string public symbol = "ATOM";
    uint256 public totalSupply = 1e24;

    function balanceOf(address) external pure returns (uint256) {
        return 7;
    }
}

contract ManyDecimals is Plain {
    function decimals() external pure override returns (uint8) {
        return 77;
    }
}

contract WholePieces is Plain {
    function decimals() external pure override returns (uint8) {
        return 0;
    }
}

contract ThirtyDecimals is Plain {
    function decimals() external pure override returns (uint8) {
        return 30;
    }
}

/// Answers every call with as many bytes as it was laid with.
contract Bytes {
    uint256 private immutable length;

    constructor(uint256 given) {
        length = given;
    }

    fallback() external {
        uint256 bytesLong = length;
        assembly {
            mstore(0, 9)
            return(0, bytesLong)
        }
    }
}

contract Bomb is Plain {
    function balanceOf(address) public pure override returns (uint256) {
        while (true) {}
        return 0;
    }
}

contract RefusesOne is Plain {
    function balanceOf(address account) public view override returns (uint256) {
        require(uint160(account) & 1 == 0, "odd holders are refused");
        return 1e18;
    }
}

contract Rebasing is Plain {
    function balanceOf(address account) public view override returns (uint256) {
        return held[account] * (1000 + block.number % 2) / 1000;
    }

    function sharesOf(address account) external view returns (uint256) {
        return held[account];
    }
}

contract Nft {
    string public name = "Pictures";
    string public symbol = "PIC";
    uint256 public totalSupply = 10;

    event Transfer(address indexed from, address indexed to, uint256 indexed id);
    event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value);
    event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values);

    function balanceOf(address) external pure returns (uint256) {
        return 1;
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x80ac58cd;
    }

    function moves(address to) external {
        emit Transfer(msg.sender, to, 42);
        emit TransferSingle(msg.sender, msg.sender, to, 7, 3);
        uint256[] memory ids = new uint256[](2);
        uint256[] memory values = new uint256[](2);
        (ids[0], ids[1], values[0], values[1]) = (1, 2, 10, 20);
        emit TransferBatch(msg.sender, address(0), to, ids, values);
    }

    function refuses() external pure {
        revert(unicode"no pictures\u202E today");
    }
}

abstract contract Delegating {
    address private immutable target;

    constructor(address given) {
        target = given;
    }

    fallback() external {
        address to = target;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let done := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(done) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}

contract Proxy is Delegating {
    constructor(address implementation, bytes32 slot) Delegating(implementation) {
        assembly {
            sstore(slot, implementation)
        }
    }
}

contract Owned is Plain {
    address public owner = msg.sender;
    bool private stopped;

    function mint(address to, uint256 value) external {
        require(msg.sender == owner);
        held[to] += value;
    }

    function pause() external {
        require(msg.sender == owner);
        stopped = true;
    }
}

interface ISkims {
    function skim(address to) external;
}

/// A token that is honest (kind 0), or takes a tax, or keeps its buyers in.
contract Trap is Plain {
    uint256 private immutable kind;
    address private immutable maker = msg.sender;
    address private pair;
    mapping(address account => uint256) private boughtAt;

    constructor(uint256 given) {
        kind = given;
    }

    function begin(address given) external {
        require(pair == address(0));
        pair = given;
    }

    function _move(address from, address to, uint256 value) internal override {
        if (from == maker || to == maker || pair == address(0)) return _take(from, to, value, 0);
        bool buys = from == pair;
        bool sells = to == pair;
        if (kind == 1 && buys) return _take(from, to, value, value / 10);
        if (kind == 2 && sells) return _take(from, to, value, value / 10);
        if (kind == 3) return _take(from, to, value, buys ? value / 20 : value / 5);
        if (kind == 4) return _take(from, to, value, value * 3 / 100);
        require(!(kind == 5 && sells), "not for sale");
        require(!(kind == 6 && sells), "not on the list");
        require(kind != 7, "paused");
        require(!(kind == 8 && buys && held[to] + value > 1), "max wallet");
        if (kind == 9 && value > 10 ether) return _take(from, to, value, value / 2);
        if (kind == 10 && buys) boughtAt[to] = block.number;
        require(!(kind == 10 && sells && boughtAt[from] + 10 > block.number), "too soon");
        if (kind == 12 && sells) while (true) {}
        if (kind == 13 && sells) return _take(from, to, value, value);
        _take(from, to, value, 0);
        // The pair has the tokens, and has not counted them yet.
        if (kind == 11 && sells) ISkims(pair).skim(maker);
    }
}

/// A pair with the curve and the reads of Aerodrome's. The code is ours.
contract SolidlyPair {
    address public token0;
    address public token1;
    bool public stable;
    uint256 private reserve0;
    uint256 private reserve1;
    uint256 private scale0;
    uint256 private scale1;
    uint256 private fee;

    function begin(address a, address b, bool isStable, uint256 feeShare) external {
        (token0, token1) = a < b ? (a, b) : (b, a);
        (stable, fee) = (isStable, feeShare);
        scale0 = 10 ** IDecimals(token0).decimals();
        scale1 = 10 ** IDecimals(token1).decimals();
    }

    function getReserves() external view returns (uint256, uint256, uint256) {
        return (reserve0, reserve1, block.timestamp);
    }

    function sync() external {
        reserve0 = IDecimals(token0).balanceOf(address(this));
        reserve1 = IDecimals(token1).balanceOf(address(this));
    }

    function getAmountOut(uint256 amountIn, address tokenIn) public view returns (uint256) {
        amountIn -= amountIn * fee / 10_000;
        bool first = tokenIn == token0;
        (uint256 reserveIn, uint256 reserveOut) = first ? (reserve0, reserve1) : (reserve1, reserve0);
        if (!stable) return amountIn * reserveOut / (reserveIn + amountIn);
        (uint256 scaleIn, uint256 scaleOut) = first ? (scale0, scale1) : (scale1, scale0);
        uint256 x = reserveIn * 1e18 / scaleIn;
        uint256 y = reserveOut * 1e18 / scaleOut;
        uint256 left = _solve(x + amountIn * 1e18 / scaleIn, _product(x, y), y);
        return (y - left) * scaleOut / 1e18;
    }

    function swap(uint256 out0, uint256 out1, address to, bytes calldata) external {
        uint256 before = _k(reserve0, reserve1);
        if (out0 > 0) IDecimals(token0).transfer(to, out0);
        if (out1 > 0) IDecimals(token1).transfer(to, out1);
        uint256 in0 = IDecimals(token0).balanceOf(address(this)) + out0 - reserve0;
        uint256 in1 = IDecimals(token1).balanceOf(address(this)) + out1 - reserve1;
        reserve0 = reserve0 + in0 - out0;
        reserve1 = reserve1 + in1 - out1;
        require(_k(reserve0 - in0 * fee / 10_000, reserve1 - in1 * fee / 10_000) >= before, "K");
    }

    function _k(uint256 a, uint256 b) private view returns (uint256) {
        return stable ? _product(a * 1e18 / scale0, b * 1e18 / scale1) : a * b;
    }

    function _product(uint256 x, uint256 y) private pure returns (uint256) {
        return (x * y / 1e18) * (x * x / 1e18 + y * y / 1e18) / 1e18;
    }

    /// The y with x³y + xy³ = k, by Newton's method.
    function _solve(uint256 x, uint256 k, uint256 y) private pure returns (uint256) {
        for (uint256 i = 0; i < 255; i++) {
            uint256 now_ = _product(x, y);
            uint256 slope = 3 * x * (y * y / 1e18) / 1e18 + (x * x / 1e18) * x / 1e18;
            uint256 step = (now_ < k ? k - now_ : now_ - k) * 1e18 / slope;
            if (step == 0) return now_ < k ? y + 1 : y;
            y = now_ < k ? y + step : y - step;
        }
        revert("!y");
    }
}

interface IDecimals {
    function decimals() external view returns (uint8);
    function balanceOf(address account) external view returns (uint256);
    function transfer(address to, uint256 value) external returns (bool);
}

contract SolidlyFactory {
    mapping(address a => mapping(address b => mapping(bool stable => address))) public getPool;

    function createPool(address a, address b, bool stable) external returns (address pool) {
        SolidlyPair pair = new SolidlyPair();
        pair.begin(a, b, stable, stable ? 5 : 30);
        pool = address(pair);
        getPool[a][b][stable] = pool;
        getPool[b][a][stable] = pool;
    }

    function getFee(address, bool stable) external pure returns (uint256) {
        return stable ? 5 : 30;
    }
}

/// Slipstream's factory as callers see it: a pool has a tick spacing, and a fee of its own. The code is ours.
contract SlipstreamFactory {
    mapping(address a => mapping(address b => mapping(int24 spacing => address))) public getPool;

    event PoolCreated(address indexed token0, address indexed token1, int24 indexed tickSpacing, address pool);

    function createPool(address a, address b, int24 spacing, address code) external returns (address pool) {
        pool = address(new SlipstreamPool(code));
        getPool[a][b][spacing] = pool;
        getPool[b][a][spacing] = pool;
        (address token0, address token1) = a < b ? (a, b) : (b, a);
        emit PoolCreated(token0, token1, spacing, pool);
    }
}

/// A pool of Slipstream as callers see it: slot0() has one field fewer than Uniswap's. All else is Uniswap's own code.
contract SlipstreamPool is Delegating {
    constructor(address code) Delegating(code) {}

    function slot0() external view returns (uint160 root, int24 tick, uint16 at, uint16 count, uint16 next, bool unlocked) {
        uint256 word;
        assembly {
            word := sload(0)
        }
        root = uint160(word);
        tick = int24(uint24(word >> 160));
        (at, count, next) = (uint16(word >> 184), uint16(word >> 200), uint16(word >> 216));
        unlocked = word >> 240 != 0;
    }
}
