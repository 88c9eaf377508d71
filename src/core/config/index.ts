export { codeEndings, importDefault, isCodeFile } from './code-files.ts'
export { type DefinitionLike, isDefinition, type ListedDefinition } from './definitions.ts'
export { type Environment, type EnvReference, env, isEnvReference } from './env.ts'
export { type ConfigKey, configKeys, isTopKey } from './keys.ts'
export { type Config, type LoadConfigInput, type LoadedConfig, loadConfig } from './load.ts'
export { findNearest } from './nearest.ts'
export { oneOnly, type PlanConfig, type QuantityRange, type Supply } from './plan-config.ts'
export { problemsOf } from './problems.ts'
export {
  type Additions,
  boughtOnce,
  type ChangeConfig,
  type ChangeMoment,
  type DiscountConfig,
  openWhilePaused,
  type PauseConfig,
  type ProviderConfig,
  providerSchema,
  type WebhookSecretConfig,
  webhookNames,
} from './provider.ts'
export { type CoreConfig, coreSchema } from './schema.ts'
export { sellersOf } from './sellers.ts'
export { findV1Key, type V1Key, type V1Match, v1Keys } from './v1.ts'
