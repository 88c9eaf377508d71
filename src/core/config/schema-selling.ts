import { z } from 'zod'
import { groupWords, path, section, text } from './schema-parts.ts'

/** The configuration sections for selling and for members' accounts. */
export const sellingSections = {
  account: section('The account page of members.', {
    offer: text('must be "pause", "discount" or the id of a price')
      .nullable()
      .default(null)
      .describe(
        'The one thing that a cancellation may offer instead: `pause`, `discount`, or the id of another price; unless given, nothing.',
      ),
  }),
  features: z
    .record(
      z.string(),
      z.strictObject(
        {
          name: text().optional().describe('The name on pages. Default: made from its key.'),
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
  pages: section('Paths of your own pages. The pages of the package link to them.', {
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
    name: text().nullable().default(null).describe('The seller on receipts; unless given, the site’s name.'),
    address: z
      .array(text(), { error: 'must be a list of lines' })
      .default([])
      .describe('The seller’s address, line by line.'),
    email: text()
      .nullable()
      .default(null)
      .describe(
        'The address that members write to; receipts name it. Unless given, they say to answer the mail.',
      ),
    country: z
      .string({ error: 'must be a country such as DE' })
      .regex(/^[A-Z]{2}$/, 'must be a country such as DE, two capital letters')
      .nullable()
      .default(null)
      .describe(
        'The country of the seller as an ISO 3166 code, such as DE. In the European Economic Area this adds an order page and the public pages /membership/cancel and /membership/withdraw.',
      ),
    code_field: z
      .boolean({ error: 'must be true or false' })
      .default(false)
      .describe(
        'A folded field for a discount code on the order page. The codes are those of the provider; not all providers have them.',
      ),
    california: z
      .boolean({ error: 'must be true or false' })
      .nullable()
      .default(null)
      .describe(
        'Treats members of California, and those whose place is unknown, as its law on automatic renewals asks. Default: true once a member of that state is known.',
      ),
    tax: z
      .enum(['included', 'excluded', 'none'], { error: 'must be "included", "excluded" or "none"' })
      .nullable()
      .default(null)
      .describe(
        'Value added tax in prices, shown beside them: `included`, `excluded`, or `none` if the seller charges none. Default: `included` in the European Economic Area, and no text elsewhere.',
      ),
  }),
}
