export {
  type AccessDifference,
  type AccessUpgrade,
  accessDifferences,
  createAccessUpgrade,
  type OpenAccessUpgrade,
  openAccessUpgrade,
} from './access-upgrade.ts'
