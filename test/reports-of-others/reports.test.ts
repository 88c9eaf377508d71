import test from 'ava'
import { reports } from './all.ts'
import { projectOf } from './report.ts'

for (const report of reports)
  test.serial(`${projectOf(report)}: ${report.wanted}`, async (t) => {
    await report.run(t)
  })

test('each report names its own thread, and says what was wanted and why', (t) => {
  t.is(new Set(reports.map(({ link }) => link)).size, reports.length)
  for (const { link, wanted, why } of reports) {
    t.regex(link, /^https:\/\/github\.com\/[\w.-]+\/[\w.-]+\/(issues|pull)\/\d+$|^https:\/\/\S+$/)
    t.regex(wanted, /^[^.]{20,}[^.]$/, link)
    t.regex(why, /^[A-Z“].{20,}\.$/, link)
  }
})
