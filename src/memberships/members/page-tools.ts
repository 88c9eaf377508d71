import type { Context } from 'koa'
import type { Render } from '../../core/pages/index.ts'
import type { Voice } from '../../core/words/index.ts'
import type { FlashMessages } from './flash.ts'
import type { View } from './view.ts'

/** Reads the visitor of a page, and shows it. */
export interface PageTools {
  /** The visitor's current state. */
  readonly viewOf: (ctx: Context) => Promise<View>
  /** The voice in the visitor's language. */
  readonly voiceOf: (ctx: Context) => Promise<Voice>
  /** The language that the visitor chose, or the browser asks for; null for the site's default. */
  readonly languageOf: (ctx: Context) => Promise<string | null>
  /** Shows the result of an action on the next page. */
  readonly say: FlashMessages['say']
  readonly render: Render
  /** The data of every page of the site: its visitor and the demo bar. */
  readonly pageData: (ctx: Context) => Promise<Record<string, unknown>>
  /** The account page, where a form leads unless it names another path. */
  readonly accountPath: string
}
