/** An invented hour of the FAA's airport status feed. It has every list of the format, dated around now. */
import { pages } from './pages.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const two = (n: number) => String(n).padStart(2, '0')

/** Writes "Thu Sep 24 00:01:24 2026 GMT". */
function updateTime(at: number): string {
  const [weekday, day, month, year, time] = new Date(at).toUTCString().replace(',', '').split(' ')
  return `${weekday} ${month} ${Number(day)} ${time} ${year} GMT`
}

/** Writes "8:15 pm EST". */
function easternTime(at: number): string {
  const eastern = new Date(at - 5 * hourMs)
  const hour = eastern.getUTCHours()
  return `${hour % 12 || 12}:${two(eastern.getUTCMinutes())} ${hour < 12 ? 'am' : 'pm'} EST`
}

/** Writes "May 27 at 18:26 UTC.". */
function closureTime(at: number): string {
  const date = new Date(at)
  const clock = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`
  return `${months[date.getUTCMonth()]} ${two(date.getUTCDate())} at ${clock} UTC.`
}

/** Writes "2605271826", the form of times in NOTAMs. */
const notamTime = (at: number) => new Date(at).toISOString().replace(/\D/g, '').slice(2, 12)

const notice = (airport: string, notam: string, from: number, to: number) =>
  `!${airport} ${notam} ${notamTime(from)}-${notamTime(to)}`

function closure({ airport, notam, from, to }: Closing): string {
  const reason = notice(airport, notam, from, to)
  return `<Airport><ARPT>${airport}</ARPT><Reason>${reason}</Reason><Start>${closureTime(from)}</Start><Reopen>${closureTime(to)}</Reopen></Airport>`
}

const listed = (name: string, list: string, entries: string) =>
  `<Delay_type><Name>${name}</Name><${list}>${entries}</${list}></Delay_type>`

interface Closing {
  airport: string
  notam: string
  from: number
  to: number
}

const quarterOf = (now: number) => Math.ceil(now / (15 * minuteMs)) * 15 * minuteMs

/** Closures last for days. They begin at midnight, so that they stay the same from poll to poll. */
function closings(now: number): Closing[] {
  const today = Math.floor(now / dayMs) * dayMs
  const notam = '05/277 LAX AD AP CLSD TO NON SKED TRANSIENT GA ACFT EXC 24HR PPR'
  return [
    { airport: 'LAX', notam, from: today - 30 * dayMs, to: today + 200 * dayMs },
    {
      airport: 'ASE',
      notam: '11/011 ASE AD AP CLSD EXC MEDEVAC HELI OPS',
      from: today - dayMs,
      to: today + 2 * dayMs,
    },
  ]
}

function airportStatus(now: number): string {
  const quarter = quarterOf(now)
  const lists = [
    listed(
      'Ground Stop Programs',
      'Ground_Stop_List',
      `<Program><ARPT>IAD</ARPT><Reason>thunderstorms</Reason><End_Time>${easternTime(quarter + hourMs)}</End_Time></Program>`,
    ),
    listed(
      'Ground Delay Programs',
      'Ground_Delay_List',
      '<Ground_Delay><ARPT>BOS</ARPT><Reason>runway construction</Reason><Avg>1 hour and 5 minutes</Avg><Max>3 hours and 4 minutes</Max></Ground_Delay>' +
        '<Ground_Delay><ARPT>SFO</ARPT><Reason>low ceilings</Reason><Avg>42 minutes</Avg><Max>1 hour and 20 minutes</Max></Ground_Delay>',
    ),
    listed(
      'General Arrival/Departure Delay Info',
      'Arrival_Departure_Delay_List',
      '<Delay><ARPT>ORD</ARPT><Reason>VOL:Multi-taxi</Reason><Arrival_Departure Type="Departure"><Min>16 minutes</Min><Max>30 minutes</Max><Trend>Increasing</Trend></Arrival_Departure></Delay>' +
        '<Delay><ARPT>EWR</ARPT><Reason>WX:Wind</Reason><Arrival_Departure Type="Arrival"><Min>31 minutes</Min><Max>45 minutes</Max><Trend>Decreasing</Trend></Arrival_Departure><Arrival_Departure Type="Departure"><Min>15 minutes</Min><Max>29 minutes</Max><Trend>Increasing</Trend></Arrival_Departure></Delay>',
    ),
    listed('Airport Closures', 'Airport_Closure_List', closings(now).map(closure).join('')),
    listed(
      'Airspace Flow Programs',
      'Airspace_Flow_List',
      `<Airspace_Flow><CTL_Element>FCAJX5</CTL_Element><Reason>thunderstorms</Reason><FCA_Start_DateTime>${notamTime(quarter)}</FCA_Start_DateTime><FCA_End_DateTime>${notamTime(quarter + 4 * hourMs)}</FCA_End_DateTime><AFP_StartTime>${easternTime(quarter)}</AFP_StartTime><AFP_EndTime>${easternTime(quarter + 4 * hourMs)}</AFP_EndTime><Line><Point Lat="30.5" Long="-81.2"/><Point Lat="29.1" Long="-79.8"/></Line><Avg>35 minutes</Avg><Floor>120</Floor><Ceiling>600</Ceiling></Airspace_Flow>`,
    ),
    listed(
      'Collaborative Trajectory Options Programs',
      'CTOP_List',
      `<CTOP><Program_Name>CTP001</Program_Name><Reason>thunderstorms</Reason><CTOP_Start_Time>${easternTime(quarter)}</CTOP_Start_Time><CTOP_End_Time>${easternTime(quarter + 4 * hourMs)}</CTOP_End_Time><Avg>20 minutes</Avg></CTOP>`,
    ),
  ]
  return `<AIRPORT_STATUS_INFORMATION><Update_Time>${updateTime(now)}</Update_Time><Dtd_File>http://www.fly.faa.gov/AirportStatus.dtd</Dtd_File>${lists.join('')}</AIRPORT_STATUS_INFORMATION>`
}

const members = {
  groundStop: null,
  groundDelay: null,
  arrivalDelay: null,
  departureDelay: null,
  airportClosure: null,
  freeForm: null,
  deicing: null,
  airportConfig: null,
}

const time = (at: number) => new Date(at).toISOString().replace('.000Z', 'Z')

/** The same hour as JSON, which has the times of programs too. */
function airportEvents(now: number): string {
  const quarter = quarterOf(now)
  const program = { startTime: time(quarter - 2 * hourMs), endTime: time(quarter + 4 * hourMs) }
  const stop = { startTime: time(quarter - hourMs), endTime: time(quarter + hourMs) }
  const delayed = (type: string, reason: string, min: string, max: string, trend: string) => ({
    reason,
    arrivalDeparture: { type, min, max, trend },
  })
  const airports: Record<string, object> = {
    IAD: { groundStop: { impactingCondition: 'thunderstorms', probabilityOfExtension: 'MEDIUM', ...stop } },
    BOS: {
      groundDelay: { impactingCondition: 'runway construction', avgDelay: 65, maxDelay: 184, ...program },
    },
    SFO: { groundDelay: { impactingCondition: 'low ceilings', avgDelay: 42, maxDelay: 80, ...program } },
    ORD: {
      departureDelay: delayed('Departure', 'VOL:Multi-taxi', '16 minutes', '30 minutes', 'Increasing'),
    },
    EWR: {
      arrivalDelay: delayed('Arrival', 'WX:Wind', '31 minutes', '45 minutes', 'Decreasing'),
      departureDelay: delayed('Departure', 'WX:Wind', '15 minutes', '29 minutes', 'Increasing'),
    },
  }
  for (const { airport, notam, from, to } of closings(now)) {
    const text = notice(airport, notam, from, to)
    airports[airport] = {
      freeForm: { simpleText: text, text, startTime: time(from), endTime: time(to) },
    }
  }
  const entries = Object.entries(airports).map(([airportId, news]) => ({ airportId, ...members, ...news }))
  return JSON.stringify(entries)
}

export const sample = pages({
  '/api/airport-status-information': airportStatus,
  '/api/airport-events': airportEvents,
  '/flyfaa/xmlAirportStatus.jsp': airportStatus,
})
