import { z } from 'zod'
import { count, flag, section, text, time } from './schema-parts.ts'

/** Every key below `membership.reports`. */
export const reportsSection = section('The website index and its partner API.', {
  system: text()
    .nullable()
    .default(null)
    .describe(
      'Which system the index is for: the name of a file in config/fingerprints, such as kirby. Unless given there is no index.',
    ),
  contact: text()
    .nullable()
    .default(null)
    .describe(
      'A web or e-mail address for partners who want a key and for site owners who want a removal. Every visit of the crawler names it.',
    ),
  limit: count().default(600).describe('Requests per minute and key.'),
  limit_visits: count().default(30).describe('Requests per minute and key that make us visit a website.'),
  limit_unchanged: count()
    .default(6000)
    .describe('Requests per minute and key that are answered with 304, nothing new.'),
  wait_seconds: time('seconds', { min: 0 })
    .default(10)
    .describe('The time that adding and refreshing wait for the check before they answer 202.'),
  relink_automatically: flag()
    .default(false)
    .describe(
      'Links a website to a partner who proves it, without the operator, if its current partner does not object for fourteen days.',
    ),
  cache_mb: count().default(64).describe('Memory for ready answers, in megabytes.'),
  crawl: section('Revisits listed websites and finds new ones.', {
    enabled: flag()
      .default(true)
      .describe('Crawls in the background of this process. `false` leaves it to `membership crawl run`.'),
    concurrency: count().default(8).describe('Websites that are visited at the same time.'),
    pause_seconds: time('seconds', { min: 0 })
      .default(2)
      .describe('Between two requests to one domain or one address.'),
    interval_days: time('days', { min: 1 }).default(7).describe('Days until a website is looked at again.'),
    max_interval_days: time('days', { min: 1 })
      .default(30)
      .describe('Days at most, for websites that never change.'),
    seeds: z
      .array(text(), { error: 'must be a list of addresses' })
      .default([])
      .describe('Addresses of websites to begin with.'),
    follow_links: flag().default(true).describe('Also visits websites that listed ones link to.'),
  }),
})
