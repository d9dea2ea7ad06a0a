import { describe, expect, it } from 'vitest'
import { inOneFile } from '../one-file.ts'

describe('a page in one file', () => {
  const page = '<head><script type="module" crossorigin src="/a.js"></script>\n<link rel="stylesheet" href="/a.css">\n</head><body></body>'

  it('has script and style inside, the script where nothing ends it early', () => {
    const whole = inOneFile(page, 'x = "</script><!--$&"', 'b { c: d }')
    expect(whole).toBe('<head><style>\nb { c: d }\n</style>\n</head><body><script type="module">\nx = "\\x3c/script>\\x3c!--$&"\n</script>\n</body>')
  })

  it('is refused where there is nothing to replace', () => {
    expect(() => inOneFile('<body></body>', '', '')).toThrow('one script and one style sheet')
  })
})
