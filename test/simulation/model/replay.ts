// Plays one named history and exits with 3 when a law is broken, 0 when all hold.
import { histories } from './histories.ts'
import { run } from './run.ts'

const [title = ''] = process.argv.slice(2)
const history = histories[title]
if (history === undefined) throw new Error(`There is no history "${title}".`)
const { broken, log } = await run(history)
console.log([...broken, ...log].join('\n'))
process.exit(broken.length > 0 ? 3 : 0)
