import type { Config } from '../../core/config/index.ts'
import { createRender, pagesOf, type Render } from '../../core/pages/index.ts'

/** Renders the site's templates and the package's; each page knows where the others stand. */
export const createPageRender = (deps: {
  readonly root: string | false
  /** True if templates are kept once they are read. */
  readonly isProduction: boolean
  readonly config: Pick<Config, 'pages'>
}) => {
  const pages = pagesOf(deps.config.pages)
  const bare = createRender(deps.root === false ? null : deps.root, deps.isProduction)
  const render: Render = (name, data) => bare(name, { pages, ...data })
  return { render, pages }
}
