// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// A token to play with. Whoever lays it gets all of it.
contract PlayToken {
    string public name;
    string public symbol;
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    mapping(address account => uint256) public balanceOf;
    mapping(address owner => mapping(address spender => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(string memory givenName, string memory givenSymbol, uint256 supply) {
        (name, symbol, totalSupply) = (givenName, givenSymbol, supply);
        balanceOf[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        return _move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        return _move(from, to, value);
    }

    function _move(address from, address to, uint256 value) private returns (bool) {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
        return true;
    }
}

interface IToken {
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

interface IPool {
    function token0() external view returns (address);
    function token1() external view returns (address);
    function mint(address recipient, int24 lower, int24 upper, uint128 liquidity, bytes calldata data)
        external
        returns (uint256, uint256);
    function swap(address recipient, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data)
        external
        returns (int256, int256);
}

/// Puts liquidity into a pool of concentrated liquidity, and swaps there, with the tokens of its caller.
contract Trader {
    address private payer;

    function mint(address pool, int24 lower, int24 upper, uint128 liquidity) external {
        payer = msg.sender;
        IPool(pool).mint(msg.sender, lower, upper, liquidity, "");
    }

    function swap(address pool, bool zeroForOne, int256 amount, uint160 limit) external {
        payer = msg.sender;
        IPool(pool).swap(msg.sender, zeroForOne, amount, limit, "");
    }

    function uniswapV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata) external {
        _pay(int256(amount0), int256(amount1));
    }

    function uniswapV3SwapCallback(int256 amount0, int256 amount1, bytes calldata) external {
        _pay(amount0, amount1);
    }

    function _pay(int256 amount0, int256 amount1) private {
        if (amount0 > 0) IToken(IPool(msg.sender).token0()).transferFrom(payer, msg.sender, uint256(amount0));
        if (amount1 > 0) IToken(IPool(msg.sender).token1()).transferFrom(payer, msg.sender, uint256(amount1));
    }
}
