import type { Config } from '../../core/config/index.ts'
import type { Addresses } from '../../core/http/addresses.ts'
import { assetAddress, pageBrand } from '../../core/pages/assets.ts'
import { createRender, pagesOf, type Render } from '../../core/pages/index.ts'

/** Renders the site's templates and the package's. Each page gets the paths of the others. */
export function createPageRender(deps: {
  readonly root: string | false
  /** True if templates are cached after the first reading. */
  readonly isProduction: boolean
  readonly config: Pick<Config, 'pages' | 'brand'>
  readonly addresses: Pick<Addresses, 'base' | 'inPage'>
  /** False: nobody can log in by a link, so that no page offers it. */
  readonly sendsMails: boolean
}) {
  const pages = pagesOf(deps.config.pages, deps.addresses.base)
  const bare = createRender(deps.root === false ? null : deps.root, deps.isProduction)
  const brand = pageBrand(deps.config.brand)
  const render: Render = (name, data) =>
    deps.addresses.inPage(
      bare(name, { pages, brand, asset: assetAddress, no_mails: !deps.sendsMails, ...data }),
    )
  return { render, pages }
}
