export {
  type AccessDifference,
  type AccessUpgrade,
  createAccessUpgrade,
  type OpenAccessUpgrade,
  openAccessUpgrade,
} from './access-upgrade.ts'
