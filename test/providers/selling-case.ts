import type { FakeServer, FakeServerOptions } from '../../src/fakes/engine/index.ts'
import type { ProviderDefinition } from '../../src/providers/contract.ts'

/** What stands apart between one selling provider and another; everything else is asked of all alike. */
export interface SellingCase {
  readonly key: string
  readonly definition: ProviderDefinition
  readonly webhook: string
  /** Starts the provider's side. */
  open(options: FakeServerOptions): Promise<FakeServer>
  /** What the site sells: ids as the provider's look. */
  readonly prices: { readonly month: string; readonly team: string; readonly book: string }
  /** Settings below `membership.providers.{key}` besides the usual ones. */
  settings?(fake: FakeServer): Readonly<Record<string, unknown>>
  /** What `fake.pay` takes, from the address to which a buyer is sent. */
  checkoutIn(url: string): string
  /** The provider's customer of an address. */
  customerOf(fake: FakeServer, email: string): string
  /** Pays what is open, on the page that the site leads to. */
  payOpen(fake: FakeServer, url: string): Promise<unknown>
  /** What was charged and what was given back, in minor units, each as it was made. */
  moved(fake: FakeServer): { readonly charged: readonly number[]; readonly back: readonly number[] }
  /** A change for later is the provider's to make; else the dearer price stays open as long as it is paid. */
  readonly schedules: boolean
  /** How long its past messages can be had; null where they cannot. */
  readonly keepsDays: number | null
  /** Pages for buyers that are open, so that none is left behind twice; null where one that nobody saw is opened anew. */
  openCheckouts(fake: FakeServer): number | null
  /** No message and no list tells of its pages, and none can be closed. */
  readonly pagesUntold?: true
  /** An opened page cannot be closed, and ends by itself. */
  readonly leavesPagesOpen?: true
  /** What goes on after a pause is paid afterwards: what fails is a renewal that failed. */
  readonly resumesBeforePaid?: true
  /** The path by which the provider sends a buyer back who has paid, where that brings something; else the site's own. */
  wayBack?(fake: FakeServer, begun: { readonly checkout: string; readonly back: string }): string
  /** What it does not do, and its `lacks` say so. */
  readonly cannot?: readonly ('pause' | 'preview' | 'cancel now' | 'part of a refund')[]
  /** What a purchase was given, or how many were bought, stands in its messages, and in nothing that is listed. */
  readonly tellsNotesOnce?: true
  /** Only its events tell when a later attempt was paid; its API has the moment of creation. */
  readonly tellsPaymentOnce?: true
}
