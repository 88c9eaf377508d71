import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Eta } from 'eta'

/** Renders a template by its name under `templates/`; output is escaped unless the template says otherwise. */
export type Render = (name: string, data: Record<string, unknown>) => string

/** The folder of this package that holds `templates/`, `blueprints/` and `config/`. */
export const packageFolder = fileURLToPath(new URL('../..', import.meta.url))

/** Templates of the site's own `templates/` folder first, then the package's. */
export const createRender = (siteFolder: string | null, cache: boolean): Render => {
  const own = siteFolder === null ? null : join(siteFolder, 'templates')
  const shipped = new Eta({ views: join(packageFolder, 'templates'), cache, autoEscape: true })
  const site = own !== null && existsSync(own) ? new Eta({ views: own, cache, autoEscape: true }) : null
  return (name, data) =>
    (site && existsSync(join(own!, `${name}.eta`)) ? site : shipped).render(`./${name}`, data)
}
