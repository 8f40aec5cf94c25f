// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {Key, SwapParams, IPoolManager} from "v4.sol";

struct Swap {
    /// Of Uniswap v4: the pool manager.
    address pool;
    bool zeroForOne;
    int256 amount;
    uint160 limit;
    /// Its second currency is zero where the pool is a contract of its own.
    Key key;
}

struct Told {
    bool ok;
    /// It failed, and had less gas than it may use: the swaps before it had burnt too much.
    bool starved;
    int256 amount0;
    int256 amount1;
}

interface IConcentratedPool {
    function swap(address recipient, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data)
        external
        returns (int256, int256);
}

/// Asks pools of concentrated liquidity what a swap would pay. It lies on no chain: a call creates it and is undone, so
/// any node can run it.
contract Quotes {
    /// A fall by 2 % may cross two hundred ticks.
    uint256 private constant ENOUGH = 12_000_000;

    constructor(Swap[] memory swaps) {
        Quoter quoter = new Quoter();
        Told[] memory told = new Told[](swaps.length);
        for (uint256 i = 0; i < swaps.length; i++) {
            bool isPoor = gasleft() < ENOUGH + ENOUGH / 50;
            try quoter.quote{gas: ENOUGH}(swaps[i]) returns (Told memory answer) {
                told[i] = answer;
            } catch {}
            told[i].starved = isPoor && !told[i].ok;
        }
        bytes memory answers = abi.encode(told);
        assembly {
            return(add(answers, 0x20), mload(answers))
        }
    }
}

contract Quoter {
    function quote(Swap calldata asked) external returns (Told memory told) {
        bytes memory reason;
        if (asked.key.currency1 != address(0)) {
            try IPoolManager(asked.pool).unlock(abi.encode(asked)) {}
            catch (bytes memory said) {
                reason = said;
            }
        } else {
            try IConcentratedPool(asked.pool).swap(address(this), asked.zeroForOne, asked.amount, asked.limit, "") {}
            catch (bytes memory said) {
                reason = said;
            }
        }
        if (reason.length == 64) {
            (told.amount0, told.amount1) = abi.decode(reason, (int256, int256));
            told.ok = true;
        }
    }

    /// v4 counts from the side of the caller: what he pays is negative, and so is an amount that goes in.
    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        Swap memory asked = abi.decode(data, (Swap));
        int256 delta =
            IPoolManager(asked.pool).swap(asked.key, SwapParams(asked.zeroForOne, -asked.amount, asked.limit), "");
        int256 amount0 = -(delta >> 128);
        int256 amount1 = -int256(int128(delta));
        assembly {
            mstore(0, amount0)
            mstore(32, amount1)
            revert(0, 64)
        }
    }

    /// The pool asks for its money, each kind by a name of its own. The amounts come first, and they are the answer.
    fallback() external {
        assembly {
            calldatacopy(0, 4, 64)
            revert(0, 64)
        }
    }
}
