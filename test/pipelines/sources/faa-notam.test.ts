import { describe, expect, test } from 'vitest'
import { hoursOf, periodOf, scopeOf } from '../../../pipelines/sources/faa/notam.ts'

describe('whether a closure keeps airline flights out', () => {
  const kept = (reason: string) => scopeOf(reason).affects_airline_flights

  test.for([
    '!LAS 12/067 LAS AD AP CLSD TO NON SKED TRANSIENT GA ACFT EXC PPR 702-261-7775 2312132300-2403132300',
    '!BOS 04/191 BOS AD AP CLSD TO NON SKED TRANSIENT GA ACFT PPR 617-561-2500 2404110900-2406152359',
    '!BOS 09/572 BOS AD AP CLSD TO NON SKED TRANSIENT ACFT',
    '!SAN 03/071 SAN AD AP CLSD TO NON SKED TRANSIENT GA ACFT EXC PPR 619-298-7704 2603181300-2610010800',
    '!LAX 05/277 LAX AD AP CLSD TO NON SKED TRANSIENT GA ACFT EXC 24HR PPR CTC ATLANTIC AVIATION 310-258-9884 OR SIGNATURE AVIATION 310-410-9605 2605271826-2705281600',
    '!PHL 09/263 PHL AD AP CLSD TO NON SKED ACFT WINGSPAN MORE THAN 214FT AND TAIL HGT MORE THAN 66FT. 2609301806-2610311200',
    'AD AP CLSD TO ACFT WINGSPAN MORE THAN 118FT',
    '!HNL 06/658 HNL AD AP CLSD TO F-35 VTOL',
    '!HNL 03/363 HNL AD AP CLSD TO V-22 VTOL 2603211823-2612311800',
    '!RDM 01/300 RDM AD AP CLSD EXC COMMERCIAL AIRLINES AND LIFE FLT 2401211633-2401220100',
    'AD AP CLSD EXC SKED AIR CARRIER OPS',
    'AD AP CLSD TO ALL ACFT MORE THAN 12500 LBS',
    'AD AP CLSD TO UNSCHEDULED ACFT',
    'AD AP CLSD TO TGL AND PRACTICE APCH',
    'TWY B CLSD',
    'APRON NORTH TERMINAL RAMP CLSD',
  ])('no: %s', reason => expect(kept(reason)).toBe(false))

  test.for([
    'AD AP CLSD TO ACR OPS MORE THAN 30 PSGR SEATS',
    '!SAN 08/007 SAN AD AP CLSD 2608100800-2608101300',
    '!ALO 09/021 ALO AD AP CLSD EXC HEL',
    '!PVD 08/055 PVD AD AP CLSD EXC HEL',
    '!KOA 08/063 KOA AD AP CLSD EXC MEDEVAC HEL OPS',
    '!ASE 08/011 ASE AD AP CLSD EXC MEDEVAC HELI OPS',
    'STX 02/007 STX AD AP CLSD TO ALL ACFT EXC EMERG',
    'MMU 02/014 MMU AD AP CLSD TO ALL ACFT',
    '!LGA 04/094 LGA AD AP CLSD EXC 4HR \rPPR 718-533-3700 DLY 0401-1000 2404150401-2411021000',
    'SAN 02/023 SAN RWY 09/27 CLSD DUE TO MAINT',
    'flooding',
    '!DEN AD AP CLSD SNOW 2609251500-2609260300',
    'AD AP CLSD EXC PPR',
    'AD AP CLSD EXC NON SKED ACFT',
    'AD AP CLSD TO LIGHTNING STRIKES',
    'RWY ALL CLSD',
    '',
  ])('yes: %s', reason => expect(kept(reason)).toBe(true))

  test.for([
    ['SAN 02/023 SAN RWY 09/27 CLSD DUE TO MAINT', 'runways'],
    ['!DEN AD AP CLSD RWY 08/26 CLSD SNOW', 'airport'],
    ['ALL RWYS CLSD', 'airport'],
    ['TWY A BTN TWY B AND TWY C CLSD', 'nothing'],
    ['snow removal', 'airport'],
  ] as const)('%s shuts %s', ([reason, shuts]) => expect(scopeOf(reason).shuts).toBe(shuts))
})

describe('the time group', () => {
  const at = (text: string) => Date.parse(text)
  test.for([
    ['AD AP CLSD 2605271826-2705281600', '2026-05-27T18:26Z', '2027-05-28T16:00Z', false],
    ['AD AP CLSD 2605271826-2705281600EST', '2026-05-27T18:26Z', '2027-05-28T16:00Z', true],
    ['AD AP CLSD 2605271826EST - 2705281600 EST', '2026-05-27T18:26Z', '2027-05-28T16:00Z', true],
    ['AD AP CLSD 2605271826-PERM', '2026-05-27T18:26Z', undefined, false],
    ['AD AP CLSD PPR 702-261-7775 2605271826-2705281600.', '2026-05-27T18:26Z', '2027-05-28T16:00Z', false],
  ] as const)('%s', ([reason, start, end, endEstimated]) =>
    expect(periodOf(reason)).toEqual({ startAt: at(start), endAt: end && at(end), endEstimated }),
  )

  test.for(['AD AP CLSD', 'AD AP CLSD DLY 0630-1315', 'AD AP CLSD 2613271826-2705281600'])(
    'none: %s',
    reason => expect(periodOf(reason)).toBeUndefined(),
  )
})

describe('the hours of the day', () => {
  const everyDay = [0, 1, 2, 3, 4, 5, 6]
  test.for([
    ['AD AP CLSD DLY 0401-1000 2404150401-2411021000', [[everyDay, 241, 600]]],
    ['AD AP CLSD DLY 2200-0500', [[everyDay, 1320, 300]]],
    ['AD AP CLSD MON-FRI 0430-0945', [[[1, 2, 3, 4, 5], 270, 585]]],
    ['AD AP CLSD FRI-MON 0430-0945', [[[0, 1, 5, 6], 270, 585]]],
    [
      'AD AP CLSD MON WED 0430-0945, SAT 0100-0200 0300-2400',
      [
        [[1, 3], 270, 585],
        [[6], 60, 120],
        [[6], 180, 1440],
      ],
    ],
    ['AD AP CLSD', []],
    ['AD AP CLSD DLY SR-SS', []],
    ['AD AP CLSD DLY 2561-0500', []],
  ] as const)('%s', ([reason, hours]) =>
    expect(hoursOf(reason)).toEqual(
      hours.map(([days, opens_minute, shuts_minute]) => ({ days, opens_minute, shuts_minute })),
    ),
  )
})
