import { moneyWriter } from '../../core/dto/index.ts'
import { createTokens } from '../../core/http/tokens.ts'
import { createWords } from '../../core/words/index.ts'
import { createCatalogue } from '../../memberships/catalogue/index.ts'
import { configuredProviders } from '../../providers/configured.ts'
import type { Provider } from '../../providers/contract.ts'
import { digitsOf } from '../../providers/registry.ts'
import { createPageRender } from '../pages/index.ts'
import type { Ground } from './ground.ts'
import { lazyTokens } from './lazy-tokens.ts'
import { siteNameOf } from './site-name.ts'

/** What rooms stand on and is asked by most of them: the providers and what they sell, signatures, words and pages. */
export const createFoundation = (ground: Ground) => {
  const { config, storage, now, log, randomId, root, definitions, secrets, isProduction } = ground
  const configured = configuredProviders({
    ...{ config, definitions, storage, now, randomId, log, isProduction },
    secret: () => secrets()[0]!,
  })
  const providers = new Map<string, Provider>([...configured].map(([key, { provider }]) => [key, provider]))
  const money = moneyWriter(digitsOf(definitions))
  const site = siteNameOf(ground)
  return {
    configured,
    providers,
    money,
    tokens: lazyTokens(() => createTokens(secrets(), now)),
    site,
    words: createWords({ root, defaultLanguage: config.language, site, money }),
    ...createPageRender({ root, isProduction, config }),
    catalogue: createCatalogue({ storage, config, providers, now, log }),
  }
}
export type Foundation = ReturnType<typeof createFoundation>
