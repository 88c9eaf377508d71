import type { Context } from 'koa'
import type { Insider } from './office-access.ts'

/** A page of the site's own in its office. */
export interface OfficePage {
  /** Below `/membership/office/own/`: lower-case letters, digits and dashes. */
  readonly path: string
  /** As the menu calls it. */
  readonly title: string
  /** The page's content as markup, which the site escapes itself. */
  readonly render: (request: { readonly ctx: Context; readonly who: Insider }) => string | Promise<string>
}
