/** The concepts that each metric may come from, in order of preference, by taxonomy. */
import type { MetricName } from '../../schemas/sec-financials.ts'

export type Taxonomy = 'us-gaap' | 'ifrs-full'
/** Shares have no chain: the cover page has them first (shares-outstanding.ts). */
export type ChainedMetric = Exclude<MetricName, 'shares_outstanding'>

export const flowMetrics = [
  'revenue',
  'operating_income',
  'net_income',
  'eps_diluted',
  'operating_cash_flow',
] as const satisfies readonly MetricName[]

/** The lines that are called the total. Another line is used only where none of these exists. */
export const revenueTotals = [
  'Revenues',
  'RevenueFromContractWithCustomerExcludingAssessedTax',
  'SalesRevenueNet',
]

/** Contract revenue of a bank, insurer or lessor may be only its fees. So it is compared with these lines. */
export const revenueOfFinancials = [
  'RevenuesNetOfInterestExpense',
  'InterestAndDividendIncomeOperating',
  'PremiumsEarnedNet',
  'OperatingLeaseLeaseIncome',
  'RegulatedAndUnregulatedOperatingRevenue',
]

const usGaap: Record<ChainedMetric, readonly string[]> = {
  revenue: [
    ...revenueTotals,
    'RevenueFromContractWithCustomerIncludingAssessedTax',
    'RevenuesNetOfInterestExpense',
    'SalesRevenueGoodsNet',
    'SalesRevenueServicesNet',
    'RegulatedAndUnregulatedOperatingRevenue',
    'HealthCareOrganizationRevenue',
    'RealEstateRevenueNet',
    'OperatingLeasesIncomeStatementLeaseRevenue',
    'OperatingLeaseLeaseIncome',
    'OilAndGasRevenue',
    'RevenueMineralSales',
    'FinancialServicesRevenue',
    'ElectricUtilityRevenue',
    'PremiumsEarnedNet',
    'InterestAndDividendIncomeOperating',
    'InvestmentIncomeInterestAndDividend',
    'GrossInvestmentIncomeOperating',
  ],
  operating_income: ['OperatingIncomeLoss'],
  net_income: [
    'NetIncomeLoss',
    'IncomeLossAttributableToParent',
    'NetIncomeLossAvailableToCommonStockholdersBasic',
    'ProfitLoss',
  ],
  eps_diluted: [
    'EarningsPerShareDiluted',
    'EarningsPerShareBasicAndDiluted',
    'NetIncomeLossNetOfTaxPerOutstandingLimitedPartnershipUnitDiluted',
    'IncomeLossFromContinuingOperationsPerDilutedShare',
  ],
  total_assets: ['Assets'],
  total_liabilities: ['Liabilities'],
  stockholders_equity: [
    'StockholdersEquity',
    'StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest',
    'PartnersCapital',
    'PartnersCapitalIncludingPortionAttributableToNoncontrollingInterest',
    'MembersEquity',
    'AssetsNet',
  ],
  cash: [
    'CashAndCashEquivalentsAtCarryingValue',
    'CashAndDueFromBanks',
    'CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalents',
    'Cash',
    'CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalentsIncludingDisposalGroupAndDiscontinuedOperations',
  ],
  operating_cash_flow: [
    'NetCashProvidedByUsedInOperatingActivities',
    'NetCashProvidedByUsedInOperatingActivitiesContinuingOperations',
  ],
}

const ifrs: Record<ChainedMetric, readonly string[]> = {
  revenue: ['Revenue', 'RevenueFromContractsWithCustomers', 'InsuranceRevenue', 'RevenueFromInterest'],
  operating_income: ['ProfitLossFromOperatingActivities', 'OperatingProfit'],
  net_income: ['ProfitLossAttributableToOwnersOfParent', 'ProfitLoss'],
  eps_diluted: ['DilutedEarningsLossPerShare', 'BasicAndDilutedEarningsLossPerShare'],
  total_assets: ['Assets'],
  total_liabilities: ['Liabilities'],
  stockholders_equity: ['EquityAttributableToOwnersOfParent', 'Equity'],
  cash: ['CashAndCashEquivalents'],
  operating_cash_flow: ['CashFlowsFromUsedInOperatingActivities'],
}

const prefixed = (taxonomy: Taxonomy, chains: typeof usGaap) =>
  Object.fromEntries(
    Object.entries(chains).map(([metric, chain]) => [metric, chain.map(name => `${taxonomy}:${name}`)]),
  ) as Record<ChainedMetric, string[]>

export const chains: Record<Taxonomy, Record<ChainedMetric, string[]>> = {
  'us-gaap': prefixed('us-gaap', usGaap),
  'ifrs-full': prefixed('ifrs-full', ifrs),
}

export const sharesOnCover = 'dei:EntityCommonStockSharesOutstanding'
export const sharesOnBalanceSheet: Record<Taxonomy, readonly string[]> = {
  'us-gaap': ['us-gaap:CommonStockSharesOutstanding', 'us-gaap:SharesOutstanding'],
  'ifrs-full': ['ifrs-full:NumberOfSharesOutstanding'],
}
export const sharesAveraged: Record<Taxonomy, readonly string[]> = {
  'us-gaap': [
    'us-gaap:WeightedAverageNumberOfDilutedSharesOutstanding',
    'us-gaap:WeightedAverageNumberOfSharesOutstandingBasic',
  ],
  'ifrs-full': ['ifrs-full:AdjustedWeightedAverageShares', 'ifrs-full:WeightedAverageShares'],
}

/** Every concept that a metric can come from. All others are not read. */
export const conceptsRead: ReadonlySet<string> = new Set([
  ...Object.values(chains).flatMap(chain => Object.values(chain).flat()),
  ...revenueOfFinancials.map(name => `us-gaap:${name}`),
  sharesOnCover,
  ...Object.values(sharesOnBalanceSheet).flat(),
  ...Object.values(sharesAveraged).flat(),
])
