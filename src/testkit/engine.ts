/**
 * The engine of every fake server, with which a provider of a site's own gets one, too.
 *
 * @module membership/testkit/engine
 */

export * from '../fakes/engine/index.ts'
