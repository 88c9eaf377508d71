export { type Detection, detect, detectAmong, type Evidence } from './detect.ts'
export { type CompiledRule, type Fingerprint, loadFingerprints, type Rule } from './fingerprints.ts'
export { scanPage } from './scan.ts'
export { type Channel, channels, type FetchedPage, type Metadata, type Scan } from './types.ts'
