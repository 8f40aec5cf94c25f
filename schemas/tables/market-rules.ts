/** Every threshold of the market. The views, the labels and the free page on the method read it here. */
export const marketRules = {
  version: 'v2',
  windowDays: 30,
  /** A wallet that more hosts quote belongs to a marketplace. Sellers that share it are not one operator. */
  hubHosts: 20,
  /** A wallet that this many hosts quote says nothing about any one of them. */
  sharedHosts: 3,
  sweeper: { sellers: 30, paymentsPerSeller: 2.5 },
  /** Money that returns to a payer is a refund up to this share of his payments. */
  refund: { shareOfPaid: 0.1 },
  /** Money from the seller to its payers counts from this many days before the window. */
  fundingDays: 7,
  chainCoverage: 0.95,
  fewWallets: { calls: 1000, wallets: 2, callsPerWallet: 1000 },
  oneCall: { wallets: 20, callsPerWallet: 1.15, share: 0.9 },
  priceOutlier: { usd: 100, timesMedian: 50, aboveUsd: 5, chainWithin: 3 },
  cloned: { endpoints: 200, share: 0.9 },
  dormantDays: 14,
  selfPayment: { payments: 10, share: 0.05 },
  singlePayer: { payments: 1000, share: 0.95 },
  circular: { wallets: 3, shareOfRevenue: 0.5 },
  coordinated: { wallets: 10, share: 0.7, cv: 0.5, median: 2, minutes: 30, launchHours: 24 },
  burst: { payments: 500, hourShare: 0.25, dayShare: 0.8, sellerDays: 7 },
  metronome: { payments: 100, share: 0.5, cv: 0.1 },
  sweeperShare: 0.8,
  chainGap: { calls: 50, share: 0.1 },
  priceDiffers: 3,
  repeat: { wallets: 3, lowerBound: 0.1, catalogWallets: 3, catalogCallsPerWallet: 1.5, factor: 0.4 },
  competitors: { above: 5, below: 5 },
  gate: { sellersKept: 0.5, rated: 0.9, read: 0.95, topKept: 0.8, top: 50 },
} as const
