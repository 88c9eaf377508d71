/** docs/openapi.json, made from the routes, and the types of the client, made from it. */
import openapiTypes, { astToString } from 'openapi-typescript'
import { createMembership } from '../src/index.ts'

/** The document as it must stand in docs/openapi.json: of a site without pages of a provider's own. */
export async function openapiDocument(): Promise<string> {
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    // Pages of a provider's own stand in the document of a site that has that provider.
    'membership.providers.stripe.webhook': 'whsec_of_the_document',
    install: false,
    root: false,
    log: () => {},
  })
  const document = await m.operator.openapi()
  await m.close()
  return `${JSON.stringify(document, null, 2)}\n`
}

/** The client's types as they must stand in src/generated/client-paths.ts. */
export async function clientTypes(document: string): Promise<string> {
  return `// Made by \`npm run docs\` from docs/openapi.json.\n${astToString(await openapiTypes(JSON.parse(document)))}`
}
