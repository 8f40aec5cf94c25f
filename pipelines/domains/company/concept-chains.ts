/** The concepts for each metric, in order of preference, by taxonomy. */
import type { PointMetric } from '../../../schemas/sec-financials.ts'

export type Taxonomy = 'us-gaap' | 'ifrs-full'
/** Shares have no chain: their count is first taken from the cover page (shares-outstanding.ts). */
export type ChainedMetric = Exclude<PointMetric, 'shares_outstanding'>

export const flowMetrics = [
  'revenue',
  'operating_income',
  'net_income',
  'eps_diluted',
  'operating_cash_flow',
] as const satisfies readonly PointMetric[]

/** The lines that are named as the total. Other lines count only if there is none of these. */
export const revenueTotals = [
  'Revenues',
  'RevenueFromContractWithCustomerExcludingAssessedTax',
  'SalesRevenueNet',
]

/** Contract revenue of a bank, insurer or lessor may be only its fees, so it is compared with these lines. */
export const revenueOfFinancials = [
  'RevenuesNetOfInterestExpense',
  'InterestAndDividendIncomeOperating',
  'InterestIncomeOperating',
  'PremiumsEarnedNet',
  'OperatingLeaseLeaseIncome',
  'OperatingLeasesIncomeStatementLeaseRevenue',
  'RegulatedAndUnregulatedOperatingRevenue',
]

/** What is taken from revenue before the operating income: the two together are the revenue that a report prints. */
export const operatingCosts = 'us-gaap:CostsAndExpenses'
export const operatingIncome = 'us-gaap:OperatingIncomeLoss'

const usGaap: Record<ChainedMetric, readonly string[]> = {
  revenue: [
    ...revenueTotals,
    'RevenueFromContractWithCustomerIncludingAssessedTax',
    'RevenuesNetOfInterestExpense',
    'SalesRevenueGoodsNet',
    'SalesRevenueServicesNet',
    'ContractsRevenue',
    'RegulatedAndUnregulatedOperatingRevenue',
    'RegulatedOperatingRevenue',
    'UtilityRevenue',
    'HealthCareOrganizationRevenue',
    'HealthCareOrganizationPatientServiceRevenue',
    'RealEstateRevenueNet',
    'OperatingLeasesIncomeStatementLeaseRevenue',
    'OperatingLeaseLeaseIncome',
    'OilAndGasRevenue',
    'RevenueMineralSales',
    'FinancialServicesRevenue',
    'ElectricUtilityRevenue',
    'PremiumsEarnedNet',
    'InterestAndDividendIncomeOperating',
    'InterestIncomeOperating',
    'GrossInvestmentIncomeOperating',
  ],
  operating_income: ['OperatingIncomeLoss'],
  net_income: [
    'NetIncomeLoss',
    'IncomeLossAttributableToParent',
    'ProfitLoss',
    'NetIncomeLossAvailableToCommonStockholdersBasic',
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
  total_equity: [
    'StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest',
    'PartnersCapitalIncludingPortionAttributableToNoncontrollingInterest',
    'StockholdersEquity',
    'PartnersCapital',
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
  revenue: [
    'Revenue',
    'RevenueFromContractsWithCustomers',
    'InsuranceRevenue',
    'RevenueFromInterest',
    'InterestRevenueCalculatedUsingEffectiveInterestMethod',
  ],
  operating_income: ['ProfitLossFromOperatingActivities', 'OperatingProfit'],
  net_income: ['ProfitLossAttributableToOwnersOfParent', 'ProfitLoss'],
  eps_diluted: ['DilutedEarningsLossPerShare', 'BasicAndDilutedEarningsLossPerShare'],
  total_assets: ['Assets'],
  total_liabilities: ['Liabilities'],
  stockholders_equity: ['EquityAttributableToOwnersOfParent', 'Equity'],
  total_equity: ['Equity', 'EquityAttributableToOwnersOfParent'],
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

/** The parent’s part of net income, the whole, and the difference; and equity next to the parent’s. */
export const noncontrolling: Record<
  Taxonomy,
  { parent: string; whole: string; income: string; equity: string }
> = {
  'us-gaap': {
    parent: 'us-gaap:NetIncomeLoss',
    whole: 'us-gaap:ProfitLoss',
    income: 'us-gaap:NetIncomeLossAttributableToNoncontrollingInterest',
    equity: 'us-gaap:MinorityInterest',
  },
  'ifrs-full': {
    parent: 'ifrs-full:ProfitLossAttributableToOwnersOfParent',
    whole: 'ifrs-full:ProfitLoss',
    income: 'ifrs-full:ProfitLossAttributableToNoncontrollingInterests',
    equity: 'ifrs-full:NoncontrollingInterests',
  },
}

/** Net income after preferred dividends. Without any, it is the parent’s. */
export const commonIncome = 'us-gaap:NetIncomeLossAvailableToCommonStockholdersBasic'

/** Computed where common stock has less than the parent, because preferred dividends stand between, and nothing tags the parent’s. */
export const parentIncome = 'us-gaap:ProfitLoss less NetIncomeLossAttributableToNoncontrollingInterest'

/** Equity without noncontrolling interests. */
export const parentEquity: ReadonlySet<string> = new Set([
  'us-gaap:StockholdersEquity',
  'us-gaap:PartnersCapital',
  'ifrs-full:EquityAttributableToOwnersOfParent',
])

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

/** Every concept for any metric. All others are not read. */
export const conceptsRead: ReadonlySet<string> = new Set([
  ...Object.values(chains).flatMap(chain => Object.values(chain).flat()),
  ...revenueOfFinancials.map(name => `us-gaap:${name}`),
  ...Object.values(noncontrolling).flatMap(({ income, equity }) => [income, equity]),
  operatingCosts,
  sharesOnCover,
  ...Object.values(sharesOnBalanceSheet).flat(),
  ...Object.values(sharesAveraged).flat(),
])
