import type { Config } from '../../core/config/index.ts'
import { createRender, pagesOf, type Render } from '../../core/pages/index.ts'

/** Renders the site's templates and the package's. Each page gets the paths of the others. */
export const createPageRender = (deps: {
  readonly root: string | false
  /** True if templates are cached after the first reading. */
  readonly isProduction: boolean
  readonly config: Pick<Config, 'pages'>
}) => {
  const pages = pagesOf(deps.config.pages)
  const bare = createRender(deps.root === false ? null : deps.root, deps.isProduction)
  const render: Render = (name, data) => bare(name, { pages, ...data })
  return { render, pages }
}
