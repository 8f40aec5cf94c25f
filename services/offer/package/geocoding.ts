/** farebox/geocoding: the lookups of the Census Bureau, for operations about places in the US. */
export { census } from '../../../pipelines/lookups/geocode/upstream.ts'
export {
  geocodeLookup,
  groundLookup,
  type Located,
  matchQuality,
  oneLine,
  qualityOf,
} from '../../../pipelines/lookups/geocode.ts'
export { mayBeCovered } from '../../../schemas/tables/us-coverage.ts'
