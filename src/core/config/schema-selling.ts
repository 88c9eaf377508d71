import { z } from 'zod'
import { groupWords, path, section, text } from './schema-parts.ts'

/** The sections about selling, and about the account of members. */
export const sellingSections = {
  account: section('What members find in their account.', {
    offer: text('must be "pause" or the id of a price')
      .nullable()
      .default(null)
      .describe(
        'The one thing that a cancellation may offer instead: `pause`, or the id of another price; unless given, nothing.',
      ),
  }),
  features: z
    .record(
      z.string(),
      z.strictObject(
        {
          name: text().optional().describe('What people read; made from its key unless given.'),
          words: z
            .record(z.string(), text(), { error: groupWords })
            .optional()
            .describe('Language tag → what it is called in that language.'),
        },
        { error: groupWords },
      ),
      { error: groupWords },
    )
    .default({})
    .describe(
      'Features and limits by name, as people read them: the price page then lists which plan opens which. A feature that no plan opens yet may stand here, too.',
    ),
  pages: section('Where the site’s pages stand that the package’s lead to: paths of the site.', {
    home: path().default('/').describe('The site’s first page.'),
    account: path()
      .nullable()
      .default(null)
      .describe('The site’s own account page; unless given, the package’s: /membership/account.'),
    prices: path()
      .nullable()
      .default(null)
      .describe('The site’s own list of what is sold; unless given, the package’s: /membership/prices.'),
  }),
  shop: section('Who sells.', {
    name: text()
      .nullable()
      .default(null)
      .describe('The seller on payment confirmations; unless given, the site’s name.'),
    address: z
      .array(text(), { error: 'must be a list of lines' })
      .default([])
      .describe('The seller’s address, line by line.'),
    country: z
      .string({ error: 'must be a country such as DE' })
      .regex(/^[A-Z]{2}$/, 'must be a country such as DE, two capital letters')
      .nullable()
      .default(null)
      .describe(
        'Where the seller is, as ISO 3166 has it, such as DE. In the European Union and its economic area the public pages /membership/cancel and /membership/withdraw are there then, and what is bought is ordered on a page of its own.',
      ),
    tax: z
      .enum(['included', 'excluded', 'none'], { error: 'must be "included", "excluded" or "none"' })
      .nullable()
      .default(null)
      .describe(
        'Whether prices hold value added tax, which pages then say beside them: `included`, `excluded`, or `none` where the seller charges none; unless given, `included` in the European Union and its economic area, and elsewhere nothing is said.',
      ),
  }),
}
