import test from 'ava'
import { detect, scanPage } from '../../../src/reports/detection/index.ts'
import { benchmark, toTable, totalOf } from './benchmark.ts'
import { corpusPages, fixturePages, shippedFingerprints } from './fixtures.ts'

test('every page built from the documentation is detected correctly', (t) => {
  const scores = benchmark(fixturePages())
  for (const line of toTable(scores)) t.log(line)
  for (const { system, pages, precision, recall, named } of scores) {
    t.true(pages >= 4, `${system} has too few pages`)
    t.is(precision, 1, system)
    t.is(named, 1, system)
    t.true(recall! >= 0.75, system)
  }
  t.true(totalOf(scores).recall! >= 0.95)
})

test('a copied generator makes a system probable, never certain', (t) => {
  const scores = benchmark(fixturePages())
  const doubted = (system: string) => scores.find((score) => score.system === system)!.doubted
  t.deepEqual(doubted('hugo'), ['none-copied-hugo'])
  t.deepEqual(doubted('astro'), ['none-copied-astro'])
  t.deepEqual(doubted('wordpress'), ['none-copied-wordpress', 'classicpress-1'])
})

test('every shipped fingerprint names its sources', (t) => {
  for (const { key, sources } of shippedFingerprints().values()) t.true(sources.length > 0, key)
})

const withCorpus = corpusPages() === null ? test.skip : test

withCorpus('no real page is taken for a system that it does not run, and most are recognised', (t) => {
  const scores = benchmark(corpusPages()!)
  for (const line of toTable(scores)) t.log(line)
  for (const { system, wrong } of scores) t.deepEqual(wrong, [], system)
  for (const system of ['wordpress', 'drupal'])
    t.is(scores.find((score) => score.system === system)!.recall, 1, system)
})

test('there are pages of twelve kinds without any of the systems', (t) => {
  t.true(fixturePages().filter(({ system }) => system === null).length >= 12)
})

test('every shipped rule has plain text to search for first', (t) => {
  for (const { key, rules } of shippedFingerprints().values())
    for (const { contains, pattern } of rules) t.truthy(contains, `${key}: ${pattern}`)
})

test('every shipped rule matches a page of its system', (t) => {
  const scans = fixturePages().map(({ system, page }) => ({ system, scan: scanPage(page) }))
  for (const fingerprint of shippedFingerprints().values()) {
    const met = new Set(
      scans
        .filter(({ system }) => system === fingerprint.key)
        .flatMap(({ scan }) => detect(scan, fingerprint).evidence)
        .map(({ channel, rule }) => `${channel} ${rule}`),
    )
    // A probe is asked for beyond the pages that lie here: probe.test.ts.
    for (const { channel, pattern } of fingerprint.rules.filter((rule) => rule.channel !== 'probe'))
      t.true(met.has(`${channel} ${pattern}`), `${fingerprint.key}: ${channel} ${pattern}`)
  }
})

test('the systems that have a fingerprint', (t) => {
  const systems =
    'astro bolt classicpress concrete contao contentful craft directus drupal expressionengine framer gatsby ghost grav hugo jekyll ' +
    'joomla kirby membership modx neos next nuxt october payload processwire sanity shopify squarespace statamic ' +
    'storyblok strapi typo3 umbraco webflow wix wordpress'
  t.deepEqual([...shippedFingerprints().keys()], systems.split(' '))
  t.true(fixturePages().length >= 100)
})
