/** The currencies of the European Central Bank. */

/** Every currency that the ECB ever published. Other banks are asked only for the rest. */
export const everInEcb: ReadonlySet<string> = new Set(
  (
    'EUR USD JPY BGN CYP CZK DKK EEK GBP HUF LTL LVL MTL PLN ROL RON SEK SIT SKK CHF ISK NOK HRK RUB TRL TRY ' +
    'AUD BRL CAD CNY HKD IDR ILS INR KRW MXN MYR NZD PHP SGD THB ZAR'
  ).split(' '),
)
