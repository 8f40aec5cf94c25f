// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

interface IToken {
    function totalSupply() external view returns (uint256);
    function balanceOf(address account) external view returns (uint256);
}

/// Does what the prober says, in the name of the account whose address it is lent.
contract Puppet {
    fallback() external payable {
        (bool done, bytes memory said) = address(bytes20(msg.data[:20])).call(msg.data[20:]);
        assembly {
            if iszero(done) { revert(add(said, 0x20), mload(said)) }
            return(add(said, 0x20), mload(said))
        }
    }
}

/// Calls each function of a token as accounts that may have powers, and sees what a holder can do afterwards. Each try is
/// undone. It lies on no chain.
contract Prober {
    uint8 private constant NOTHING = 0;
    uint8 private constant MINTS = 1;
    uint8 private constant TAKES = 2;
    uint8 private constant STOPS = 3;
    uint8 private constant FREEZES = 4;
    uint8 private constant CHARGES = 5;
    /// For the try that is under way, and for telling.
    uint256 private constant ENOUGH = 2_500_000;
    uint256 private constant CALL = 400_000;

    struct Trade {
        address account;
        address router;
        bytes data;
        /// What comes in.
        address token;
    }

    struct Asked {
        address token;
        address[] owners;
        /// Whose balances make up what there is, of those that take part.
        address[] parties;
        bytes4[] selectors;
        bytes[] arguments;
        Trade sale;
        Trade otherSale;
        Trade purchase;
    }

    struct Found {
        uint8 power;
        bytes4 selector;
        address owner;
        /// What the holder's trade brought, or what there was of the token.
        uint256 earlier;
        uint256 afterwards;
    }

    error Told(uint8 power, uint256 earlier, uint256 afterwards);

    function probe(Asked calldata asked) external returns (Found[] memory found, uint256 tried, bool ready) {
        (uint256 sold, uint256 bought) = (_undone(asked.sale), _undone(asked.purchase));
        ready = sold > 0 && _undone(asked.otherSale) > 0;
        found = new Found[](asked.selectors.length);
        uint256 count = 0;
        for (; tried < asked.selectors.length && gasleft() > ENOUGH; tried++) {
            Found memory one = _probed(asked, asked.selectors[tried], ready ? sold : 0, bought);
            if (one.power != NOTHING) found[count++] = one;
        }
        assembly {
            mstore(found, count)
        }
    }

    function _probed(Asked calldata asked, bytes4 selector, uint256 sold, uint256 bought)
        private
        returns (Found memory one)
    {
        for (uint256 i = 0; i < asked.owners.length; i++) {
            for (uint256 j = 0; j < asked.arguments.length && gasleft() > ENOUGH; j++) {
                bytes memory data = abi.encodePacked(selector, asked.arguments[j]);
                if (!_writes(asked.token, asked.owners[i], data)) continue;
                try this.attempt(asked, asked.owners[i], data, sold, bought) {}
                catch (bytes memory reason) {
                    if (bytes4(reason) != Told.selector) continue;
                    (uint8 power, uint256 earlier, uint256 afterwards) = _told(reason);
                    if (power != NOTHING) return Found(power, selector, asked.owners[i], earlier, afterwards);
                }
            }
        }
    }

    function _writes(address token, address owner, bytes memory data) private returns (bool writes) {
        try this.call(token, owner, data) {}
        catch (bytes memory reason) {
            writes = bytes4(reason) == Told.selector;
        }
    }

    /// A function that only reads works where nothing may be written, too.
    function call(address token, address owner, bytes calldata data) external {
        (bool done,) = owner.call{gas: CALL}(abi.encodePacked(token, data));
        require(done);
        (bool reads,) = owner.staticcall{gas: CALL}(abi.encodePacked(token, data));
        require(!reads);
        revert Told(NOTHING, 0, 0);
    }

    /// Always reverts, so that nothing of it stays.
    function attempt(Asked calldata asked, address owner, bytes calldata data, uint256 sold, uint256 bought) external {
        uint256 there = _there(asked, owner);
        uint256 supply = IToken(asked.token).totalSupply();
        uint256 held = IToken(asked.token).balanceOf(asked.sale.account);
        (bool done,) = owner.call{gas: CALL}(abi.encodePacked(asked.token, data));
        require(done);
        uint256 now_ = IToken(asked.token).totalSupply();
        if (now_ > supply) revert Told(MINTS, supply, now_);
        uint256 thereNow = _there(asked, owner);
        if (thereNow > there) revert Told(MINTS, there, thereNow);
        uint256 heldNow = IToken(asked.token).balanceOf(asked.sale.account);
        if (heldNow < held) revert Told(TAKES, held, heldNow);
        if (sold == 0) revert Told(NOTHING, 0, 0);
        uint256 brings = _undone(asked.sale);
        if (brings == 0) revert Told(_undone(asked.otherSale) == 0 ? STOPS : FREEZES, sold, 0);
        if (brings < sold - sold / 200) revert Told(CHARGES, sold, brings);
        uint256 buys = bought > 0 ? _undone(asked.purchase) : 0;
        if (bought > 0 && buys == 0) revert Told(STOPS, bought, 0);
        if (buys < bought - bought / 200) revert Told(CHARGES, bought, buys);
        revert Told(NOTHING, 0, 0);
    }

    function _there(Asked calldata asked, address owner) private view returns (uint256 sum) {
        sum = IToken(asked.token).balanceOf(owner);
        for (uint256 i = 0; i < asked.parties.length; i++)
            if (asked.parties[i] != owner) sum += IToken(asked.token).balanceOf(asked.parties[i]);
    }

    /// What a trade brings. 0 if it fails.
    function _undone(Trade calldata asked) private returns (uint256 brought) {
        try this.trade(asked) {}
        catch (bytes memory reason) {
            if (bytes4(reason) == Told.selector) (, brought,) = _told(reason);
        }
    }

    function trade(Trade calldata asked) external {
        uint256 before = IToken(asked.token).balanceOf(asked.account);
        (bool done,) = asked.account.call{gas: 1_500_000}(abi.encodePacked(asked.router, asked.data));
        require(done);
        revert Told(NOTHING, IToken(asked.token).balanceOf(asked.account) - before, 0);
    }

    function _told(bytes memory reason) private pure returns (uint8 power, uint256 earlier, uint256 afterwards) {
        assembly {
            power := mload(add(reason, 0x24))
            earlier := mload(add(reason, 0x44))
            afterwards := mload(add(reason, 0x64))
        }
    }
}
