import { describe, expect, it } from 'vitest'
import { extractiveSummary } from '../../../../pipelines/domains/document/summary/extractive.ts'
import { areEnglish } from '../../../../pipelines/domains/document/summary/of-itself.ts'
import { sentencesOf } from '../../../../pipelines/domains/document/summary/sentences.ts'

/** Plain English with hardly a verb but those of the present and of the past. */
const kinds = {
  biology:
    'Mitochondria produce most of the energy of a cell. Enzymes inside the inner membrane pass electrons along a chain. Protons flow back through a turbine-like protein. Cells of the heart contain thousands of mitochondria. Defects cause rare muscular diseases. Red blood cells lose their mitochondria before they enter the bloodstream.',
  bees: 'Honey bees live in colonies of up to 60,000 animals. Workers collect nectar from flowers within five kilometres. Drones mate with young queens in late spring. Colonies store about thirty kilograms of honey for the winter. Beekeepers remove the surplus in July. Varroa mites kill many colonies each year.',
  protocol:
    'Clients send requests to any server. Servers forward writes to the leader. Replicas apply entries in the same order. Snapshots replace old parts of the log. Operators add new members with two commands. Backups run every hour on all of the servers.',
  history:
    'Norse settlers reached Iceland in the late ninth century. Chieftains met each summer at Thingvellir to settle disputes. Norway took control of the island in 1262. Volcanic ash from Laki killed most of the livestock in 1783. Famine followed, and a fifth of the population died. Icelanders voted for a republic in 1944.',
  law: 'Tenants pay rent on the first day of each month. Landlords return deposits within thirty days after the end of a lease. Courts hear disputes over repairs without a jury. Judges order landlords to mend heating in winter. Parties appeal to the district court within six weeks. Fines go to the housing fund of the city.',
  recipe:
    'Ripe tomatoes give the soup its colour and most of its taste. Onions soften in butter for ten minutes over low heat. Two spoons of flour thicken the broth. Cooks in Valencia add a pinch of saffron at the end. Toasted bread goes into each bowl before the soup. Leftovers keep for three days in the fridge.',
  releaseNotes:
    'Version 4.2 adds support for named channels. Workers restart after a crash without a lost message. Queries on large tables run twice as fast with the new planner. Old configuration files still load with a warning. Administrators set limits for each tenant in one file. Builds for Windows drop the 32-bit installer.',
  sports:
    'Rovers beat United 3-1 at home on Saturday. Defenders cleared two shots off the line before half-time. Midfielder Tom Hale scored twice from corners. Visiting fans sang until the last minute. Rovers climb to fourth place in the table. Injuries keep three regular players out for the trip to Leeds.',
  finance:
    'Banks raise rates on deposits for the first time in a decade. Investors sell bonds of indebted states. Exporters in Asia profit from the weak yen. Pension funds move money into infrastructure. Analysts at two brokers expect slower growth next year. Higher yields hurt builders with large debts.',
  manual:
    'Two screws hold the filter cover in place. Green lights on the panel show a full battery. Sensors near the door stop the blade within a second. Worn belts make a high sound at low speed. Dealers replace damaged blades for the price of the part. Batteries last for four hours with a full load.',
  encyclopaedia:
    'Glaciers form where more snow falls in winter than melts in summer. Layers of snow turn into ice under their own weight. Glaciers in the Alps move up to 200 metres a year. Meltwater carves tunnels through the ice and carries sand to the valley. Moraines mark the places where glaciers ended. Lakes fill the hollows behind them.',
  news: 'Scientists warn of a warmer decade for the south. Farmers in Spain plant fewer olive trees. Insurers raise premiums for coastal homes. Cities along the Rhine build higher walls. Governments promise subsidies for heat pumps. Engineers test dams that let fish pass.',
  travel:
    'Ferries leave the harbour of Piran at nine and at noon. Narrow lanes lead from the square up to the walls. Fishermen sell sardines and squid from their boats. Cafes on the waterfront stay open until midnight. Buses connect the old town with the car park. Visitors from Trieste come by bicycle along the old railway.',
}

const refused = {
  menu: 'Home\nProducts\nPricing\nAbout the company\nContact and opening hours\nCareers\nSupport\nSign in to your account\nFrequently asked questions about orders\nTerms and conditions of sale\nImprint\n'.repeat(
    2,
  ),
  names: Array.from(
    { length: 12 },
    (_, i) => `Anna Lund, Tom Hale, Maria Vance and Peter Aske, Room ${i}.`,
  ).join('\n'),
  headings: Array.from(
    { length: 12 },
    (_, i) => `A guide for the builder of the northern basin, volume ${i}.`,
  ).join('\n'),
  code: 'import { readFile } from "node:fs/promises"\n\nexport async function load(path) {\n  const text = await readFile(path, "utf8")\n  return JSON.parse(text)\n}\n\nfor (const name of names) {\n  console.log(name, await load(name));\n}\n'.repeat(
    3,
  ),
}

describe('plain English', () => {
  it.each(Object.entries(kinds))('of %s has a summary', (_, text) => {
    const summary = extractiveSummary(text, 45) ?? ''
    expect(sentencesOf(summary).length).toBeGreaterThan(1)
    for (const { text: each } of sentencesOf(summary)) expect(text).toContain(each)
  })

  it.each(Object.entries(refused))('is not there in %s', (_, text) => {
    expect(extractiveSummary(text, 45)).toBeUndefined()
  })
})

describe('a text that is not English by most of its words', () => {
  it.each([
    'Regeringen venter at sænke afgiften for at hjælpe familier. By og land har brug for at spare. Butikker i Aarhus er klar til at åbne for at tage imod kunder. Planen er god for alle, siger ministeren, men den er for dyr at betale.',
    'Pumps for the mines of the Ruhr come from Cologne, and Cologne sells them to the world. Die Firma wurde 1990 in Köln gegründet. Die Firma baut seit 1990 Pumpen for the world. Der Umsatz mit Pumpen stieg um zehn Prozent. Das Werk in Köln liegt am Rhein und ist das größte der Firma.',
  ])('is summarised all the same: %s', text => {
    expect(areEnglish(sentencesOf(text))).toBe(false)
    expect(extractiveSummary(text, 30)).toBeDefined()
  })
})
