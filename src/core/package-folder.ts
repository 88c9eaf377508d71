import { fileURLToPath } from 'node:url'

/** The folder of this package that holds `templates/`, `blueprints/` and `config/`. */
export const packageFolder = fileURLToPath(new URL('../..', import.meta.url))
