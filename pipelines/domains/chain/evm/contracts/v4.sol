// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// What is needed of the pool manager of Uniswap v4, where all pools are entries of one contract.
struct Key {
    address currency0;
    address currency1;
    uint24 fee;
    int24 tickSpacing;
    address hooks;
}

struct SwapParams {
    bool zeroForOne;
    int256 amountSpecified;
    uint160 sqrtPriceLimitX96;
}

interface IPoolManager {
    function unlock(bytes calldata data) external returns (bytes memory);
    /// Returns both amounts: the first in the upper half, the second in the lower.
    function swap(Key memory key, SwapParams memory params, bytes calldata hookData) external returns (int256);
    function sync(address currency) external;
    function settle() external payable returns (uint256);
    function take(address currency, address to, uint256 amount) external;
}
