import { describe, expect, it } from 'vitest'
import { portablePage } from '../src/lib/portable'

const TEMPLATE = '<title>A match</title><body><script type="application/x-ndjson" id="replay"></script></body>'
const linesIn = (page: string): string[] => /id="replay">\n([^]*?)\n<\/script>/.exec(page)![1]!.split('\n')

describe('a page with a replay inside', () => {
  it('has the lines as they were, whatever bots wrote into them', () => {
    const lines = ['{"v":1,"players":[{"bot":"</script><b>$& $1"}]}', '{"t":1,"msg":"<!-- \\u003c"}', '{"end":true}']
    const page = portablePage(TEMPLATE, `${lines.join('\n')}\n`, 'A & <B>')
    expect(linesIn(page).map((line) => JSON.parse(line))).toEqual(lines.map((line) => JSON.parse(line)))
    expect(page.match(/<\/script>/g)).toHaveLength(1)
    expect(page).not.toContain('<!--')
    expect(page).toContain('<title>A &amp; &lt;B&gt;</title>')
  })

  it('carries a viewer from outside, whose text ends no script', () => {
    const page = portablePage(TEMPLATE, '{"v":1}', 'A', 'export default { text: "</script><!--" }')
    const carried = /<script type="text\/plain" id="viewer">\n([^]*?)\n<\/script>/.exec(page)![1]!
    expect(carried).toBe('export default { text: "\\x3C/script>\\x3C!--" }')
    expect(page.match(/<\/script>/g)).toHaveLength(2)
    expect(linesIn(page)).toEqual(['{"v":1}'])
  })

  it('is refused a template without a place for it', () => {
    expect(() => portablePage('<title>A match</title>', '', '')).toThrow('replay.html')
  })
})
