import type { ProviderDefinition } from './contract.ts'
import { paddle } from './paddle/index.ts'
import { polar } from './polar/index.ts'
import { sandbox } from './sandbox/index.ts'
import { stripe } from './stripe/index.ts'

/** Every provider that the package brings: one folder, one line. */
export const providers: readonly ProviderDefinition[] = [paddle, polar, sandbox, stripe]
