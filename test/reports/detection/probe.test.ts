import test from 'ava'
import { startIndex } from '../../support/index-host.ts'
import { plainPage, startWeb } from '../../support/web.ts'

const panel =
  '<!doctype html><html><head><link rel="stylesheet" href="/media/panel/0123456789abcdef0123456789abcdef/css/style.min.css"></head></html>'

test('a probe requests the system’s own pages, and only when it is wanted', async (t) => {
  const web = await startWeb({
    'hidden.example': { '/': plainPage(), '/panel/login': panel },
    'other.example': { '/': plainPage() },
  })
  const index = await startIndex(web)
  t.teardown(async () => {
    await index.close()
    await web.close()
  })
  const { reports } = index.m

  const without = await reports.detect('http://hidden.example/')
  t.is(without.finding.kind, 'rejected')
  t.deepEqual(
    web.asked.map(({ path }) => path),
    ['/robots.txt', '/'],
  )

  const { finding } = await reports.detect('http://hidden.example/', { probe: true })
  t.is(finding.kind, 'listed')
  if (finding.kind === 'listed') {
    t.deepEqual(
      finding.detection.evidence.map(({ channel }) => channel),
      ['probe'],
    )
    t.true(finding.detection.channels.includes('probe'))
  }

  const nothing = await reports.detect('http://other.example/', { probe: true })
  t.is(nothing.finding.kind, 'rejected')
  if (nothing.finding.kind === 'rejected') t.regex(nothing.finding.detection.summary, /no probe/)
})
