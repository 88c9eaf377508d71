// Plays one life by its JSON, and exits with 3 when a law is broken, 0 when all hold.
import type { Life } from './planted.ts'
import { sellers } from './sellers.ts'
import { liveWithTerms } from './terms.ts'

const { provider, first } = JSON.parse(process.argv[2] ?? '{}') as Life
const seller = sellers.find(({ key }) => key === provider)
if (seller === undefined) throw new Error(`There is no provider "${provider}".`)
const { broken } = await liveWithTerms(seller, '1', first?.length ?? 20, first)
console.log(broken.join('\n'))
process.exit(broken.length > 0 ? 3 : 0)
