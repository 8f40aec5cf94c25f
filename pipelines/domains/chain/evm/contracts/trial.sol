// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {Key, SwapParams, IPoolManager} from "v4.sol";

interface IERC20 {
    function balanceOf(address account) external view returns (uint256);
}

interface IWrapped {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}

interface IPair {
    function token0() external view returns (address);
    function getAmountOut(uint256 amountIn, address tokenIn) external view returns (uint256);
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external;
}

interface IReserves {
    function getReserves() external view returns (uint256 reserve0, uint256 reserve1, uint256 at);
}

interface IConcentrated {
    function token0() external view returns (address);
    function swap(address recipient, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data)
        external
        returns (int256, int256);
}

/// Trades as the router of a pool does: it pulls what its caller sells, and the pool pays the caller. A call lends it the
/// address of the router that people use, so that a token sees the sender that it sees every day. Whatever else is asked
/// of that router goes to its own code, which the call lends the neighbouring address.
contract Trial {
    uint8 private constant CONSTANT_PRODUCT = 0;
    uint8 private constant SOLIDLY = 1;
    uint8 private constant V4 = 3;
    uint160 private constant LOWEST = 4295128740;
    uint160 private constant HIGHEST = 1461446703485210103287273052203988822378723970341;

    struct Hop {
        address pool;
        uint8 kind;
        address tokenIn;
        address tokenOut;
        /// In millionths.
        uint256 fee;
        /// Of Uniswap v4.
        int24 tickSpacing;
        /// The wrapped coin, where the pool holds the coin itself in its place.
        address wrapped;
    }

    /// A tax is taken on the way, so this is all that the pool gets.
    error Short(uint256 came);

    /// The pool that may ask for its money, who pays, in what, how much, and for what part of it the pool was asked.
    address private transient asking;
    address private transient payer;
    address private transient paying;
    uint256 private transient paid;
    uint256 private transient asked;

    /// Buys what the buyers will pay with, and hands it out.
    function fund(address wrapped, uint256 value, Hop[] calldata route, address[] calldata buyers, uint256[] calldata amounts)
        external
    {
        IWrapped(wrapped).deposit{value: value}();
        (address token, uint256 amount) = (wrapped, value);
        for (uint256 i = 0; i < route.length; i++) {
            amount = _swap(route[i], amount, address(this));
            token = route[i].tokenOut;
        }
        for (uint256 i = 0; i < buyers.length; i++) _send(token, address(this), buyers[i], amounts[i]);
    }

    function trade(Hop calldata hop, uint256 amountIn) external returns (uint256 received) {
        return _swap(hop, amountIn, msg.sender);
    }

    function _swap(Hop memory hop, uint256 amountIn, address from) private returns (uint256) {
        require(amountIn > 0, "nothing to swap");
        (payer, paying, paid) = (from, hop.tokenIn, amountIn);
        uint256 before = IERC20(hop.tokenOut).balanceOf(from);
        if (hop.kind <= SOLIDLY) {
            _pair(hop, amountIn);
        } else {
            asking = hop.pool;
            try this.ask(hop, amountIn) {}
            catch (bytes memory reason) {
                if (bytes4(reason) != Short.selector) _fail(reason);
                uint256 came;
                assembly {
                    came := mload(add(reason, 0x24))
                }
                this.ask(hop, came - came / 1_000_000);
            }
            asking = address(0);
        }
        return IERC20(hop.tokenOut).balanceOf(from) - before;
    }

    /// The tokens go first: whatever the token does meanwhile, the pair counts what has arrived by then.
    function _pair(Hop memory hop, uint256 amountIn) private {
        _send(hop.tokenIn, payer, hop.pool, amountIn);
        bool first = IPair(hop.pool).token0() == hop.tokenIn;
        (uint256 reserve0, uint256 reserve1,) = IReserves(hop.pool).getReserves();
        (uint256 reserveIn, uint256 reserveOut) = first ? (reserve0, reserve1) : (reserve1, reserve0);
        uint256 came = IERC20(hop.tokenIn).balanceOf(hop.pool) - reserveIn;
        uint256 out;
        if (hop.kind == CONSTANT_PRODUCT) {
            uint256 inWithFee = came * (1_000_000 - hop.fee);
            out = inWithFee * reserveOut / (reserveIn * 1_000_000 + inWithFee);
        } else {
            out = IPair(hop.pool).getAmountOut(came, hop.tokenIn);
        }
        IPair(hop.pool).swap(first ? 0 : out, first ? out : 0, payer, "");
    }

    function ask(Hop calldata hop, uint256 amountIn) external {
        require(msg.sender == address(this) && amountIn > 0, "nothing to swap");
        asked = amountIn;
        if (hop.kind == V4) {
            IPoolManager(hop.pool).unlock(abi.encode(hop, amountIn));
        } else {
            bool zeroForOne = IConcentrated(hop.pool).token0() == hop.tokenIn;
            IConcentrated(hop.pool).swap(payer, zeroForOne, int256(amountIn), zeroForOne ? LOWEST : HIGHEST, "");
        }
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        require(msg.sender == asking, "nobody asked");
        (Hop memory hop, uint256 amountIn) = abi.decode(data, (Hop, uint256));
        (address from, address to) = (_currency(hop, hop.tokenIn), _currency(hop, hop.tokenOut));
        bool zeroForOne = from < to;
        (address currency0, address currency1) = zeroForOne ? (from, to) : (to, from);
        Key memory key = Key(currency0, currency1, uint24(hop.fee), hop.tickSpacing, address(0));
        SwapParams memory params = SwapParams(zeroForOne, -int256(amountIn), zeroForOne ? LOWEST : HIGHEST);
        int256 delta = IPoolManager(msg.sender).swap(key, params, "");
        (int256 amount0, int256 amount1) = (delta >> 128, int256(int128(delta)));
        uint256 owed = uint256(-(zeroForOne ? amount0 : amount1));
        uint256 out = uint256(zeroForOne ? amount1 : amount0);
        if (from == address(0)) {
            if (payer != address(this)) _send(hop.tokenIn, payer, address(this), owed);
            IWrapped(hop.wrapped).withdraw(owed);
            IPoolManager(msg.sender).settle{value: owed}();
        } else {
            IPoolManager(msg.sender).sync(from);
            _pay(owed);
            IPoolManager(msg.sender).settle();
        }
        IPoolManager(msg.sender).take(to, to == address(0) ? address(this) : payer, out);
        if (to == address(0)) {
            IWrapped(hop.wrapped).deposit{value: out}();
            if (payer != address(this)) _send(hop.wrapped, address(this), payer, out);
        }
        return "";
    }

    function _currency(Hop memory hop, address token) private pure returns (address) {
        return token == hop.wrapped ? address(0) : token;
    }

    function _pay(uint256 owed) private {
        uint256 came = _send(paying, payer, msg.sender, owed == asked ? paid : owed);
        if (came < owed) revert Short(came);
    }

    /// Returns what has arrived.
    function _send(address token, address from, address to, uint256 amount) private returns (uint256) {
        uint256 before = IERC20(token).balanceOf(to);
        (bool done, bytes memory said) = token.call(
            from == address(this)
                ? abi.encodeWithSignature("transfer(address,uint256)", to, amount)
                : abi.encodeWithSignature("transferFrom(address,address,uint256)", from, to, amount)
        );
        if (!done) _fail(said);
        require(said.length == 0 || abi.decode(said, (bool)), "its transfer returns false");
        return IERC20(token).balanceOf(to) - before;
    }

    function _fail(bytes memory reason) private pure {
        assembly {
            revert(add(reason, 0x20), mload(reason))
        }
    }

    receive() external payable {}

    /// The pool asks for its money, each kind by a name of its own, with the amounts first.
    fallback() external payable {
        if (msg.sender == asking) {
            (int256 amount0, int256 amount1) = abi.decode(msg.data[4:68], (int256, int256));
            return _pay(uint256(amount0 > 0 ? amount0 : amount1));
        }
        address own = address(uint160(address(this)) ^ 1);
        assembly {
            calldatacopy(0, 0, calldatasize())
            let done := delegatecall(gas(), own, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(done) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}
