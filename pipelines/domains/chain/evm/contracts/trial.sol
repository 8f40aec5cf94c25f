// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {Key, SwapParams, IPoolManager} from "v4.sol";

interface IERC20 {
    function balanceOf(address account) external view returns (uint256);
}

interface IWrapped {
    function deposit() external payable;
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

/// Buys a token and sells half of it at once. It lies on no chain: a call lends it an address and native coin, and is
/// undone.
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
        /// Of Uniswap v4. There the wrapped coin of the hop may stand for the coin itself.
        int24 tickSpacing;
        bool isNative;
    }

    struct Told {
        /// 0: nothing, 1: the quote token is bought, 2: the token too, 3: and sold.
        uint8 reached;
        uint256 paidOut;
        uint256 received;
        uint256 sent;
        uint256 arrived;
        uint256 back;
        bytes reason;
    }

    address private wrappedCoin;
    address private paying;
    uint256 private sent;
    uint256 private arrived;

    /// The last hop of the route buys the token. The others lead to its quote token.
    function run(address wrapped, uint256 value, Hop[] calldata route) external returns (Told memory told) {
        wrappedCoin = wrapped;
        IWrapped(wrapped).deposit{value: value}();
        uint256 amount = value;
        uint256 last = route.length - 1;
        for (uint256 i = 0; i < last; i++) {
            try this.swap(route[i], amount) returns (uint256, uint256 received) {
                amount = received;
            } catch (bytes memory reason) {
                told.reason = reason;
                return told;
            }
        }
        told.reached = 1;
        Hop memory hop = route[last];
        try this.swap{gas: 8_000_000}(hop, amount) returns (uint256 paidOut, uint256 received) {
            (told.paidOut, told.received) = (paidOut, received);
        } catch (bytes memory reason) {
            told.reason = reason;
            return told;
        }
        told.reached = 2;
        (hop.tokenIn, hop.tokenOut) = (hop.tokenOut, hop.tokenIn);
        try this.swap{gas: 8_000_000}(hop, told.received / 2) returns (uint256, uint256 received) {
            (told.sent, told.arrived, told.back) = (sent, arrived, received);
            told.reached = 3;
        } catch (bytes memory reason) {
            told.reason = reason;
        }
    }

    /// Returns what the pool says it has paid out, and what has arrived here.
    function swap(Hop memory hop, uint256 amountIn) external returns (uint256 paidOut, uint256 received) {
        require(msg.sender == address(this) && amountIn > 0, "nothing to swap");
        uint256 before = IERC20(hop.tokenOut).balanceOf(address(this));
        if (hop.kind == V4) paidOut = abi.decode(IPoolManager(hop.pool).unlock(abi.encode(hop, amountIn)), (uint256));
        else paidOut = hop.kind > SOLIDLY ? _concentrated(hop, amountIn) : _pair(hop, amountIn);
        received = IERC20(hop.tokenOut).balanceOf(address(this)) - before;
    }

    function _pair(Hop memory hop, uint256 amountIn) private returns (uint256 out) {
        bool first = IPair(hop.pool).token0() == hop.tokenIn;
        (uint256 reserve0, uint256 reserve1,) = IReserves(hop.pool).getReserves();
        (uint256 reserveIn, uint256 reserveOut) = first ? (reserve0, reserve1) : (reserve1, reserve0);
        _send(hop.tokenIn, hop.pool, amountIn);
        // The balance may be above the reserve already.
        if (hop.kind == CONSTANT_PRODUCT) {
            uint256 inWithFee = arrived * (1_000_000 - hop.fee);
            out = inWithFee * reserveOut / (reserveIn * 1_000_000 + inWithFee);
        } else {
            out = IPair(hop.pool).getAmountOut(arrived, hop.tokenIn);
        }
        IPair(hop.pool).swap(first ? 0 : out, first ? out : 0, address(this), "");
    }

    function _concentrated(Hop memory hop, uint256 amountIn) private returns (uint256) {
        bool zeroForOne = IConcentrated(hop.pool).token0() == hop.tokenIn;
        paying = hop.tokenIn;
        (int256 amount0, int256 amount1) = IConcentrated(hop.pool).swap(
            address(this), zeroForOne, int256(amountIn), zeroForOne ? LOWEST : HIGHEST, ""
        );
        return uint256(-(zeroForOne ? amount1 : amount0));
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
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
            (sent, arrived) = (owed, owed);
            IPoolManager(msg.sender).settle{value: owed}();
        } else {
            IPoolManager(msg.sender).sync(from);
            _pay(from, owed);
            IPoolManager(msg.sender).settle();
        }
        IPoolManager(msg.sender).take(to, address(this), out);
        if (to == address(0)) IWrapped(wrappedCoin).deposit{value: out}();
        return abi.encode(out);
    }

    function _currency(Hop memory hop, address token) private view returns (address) {
        return hop.isNative && token == wrappedCoin ? address(0) : token;
    }

    receive() external payable {}

    function _send(address token, address to, uint256 amount) private {
        uint256 before = IERC20(token).balanceOf(to);
        (bool done, bytes memory said) = token.call(abi.encodeWithSignature("transfer(address,uint256)", to, amount));
        if (!done) {
            assembly {
                revert(add(said, 0x20), mload(said))
            }
        }
        require(said.length == 0 || abi.decode(said, (bool)), "transfer() returns false");
        (sent, arrived) = (amount, IERC20(token).balanceOf(to) - before);
    }

    /// A tax on the way is paid on top, so that the sale goes through and shows the tax.
    function _pay(address token, uint256 owed) private {
        _send(token, msg.sender, owed);
        (uint256 first, uint256 came) = (sent, arrived);
        if (came < owed && came > 0) _send(token, msg.sender, (owed - came) * owed / came + 1);
        (sent, arrived) = (first, came);
    }

    /// The pool asks for its money, each kind by a name of its own, with the amounts first.
    fallback() external {
        (int256 amount0, int256 amount1) = abi.decode(msg.data[4:68], (int256, int256));
        _pay(paying, uint256(amount0 > 0 ? amount0 : amount1));
    }
}
