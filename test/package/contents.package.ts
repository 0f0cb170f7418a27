import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, inject, it } from 'vitest'

const { files, projects } = inject('installed')
const [{ path: project }] = projects as [(typeof projects)[number]]
const root = join(project, 'node_modules/mailing-sync-mock')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

it('holds what runs, its types, its content and its papers, and nothing else', () => {
  const allowed = [
    /^dist\/.+\.(?:js|d\.ts)$/,
    /^dist\/pages\/styles\/[\w-]+\.css$/,
    /^docs\/(?:[\w-]+\.(?:md|schema\.json)|convictions\.json|control-openapi\.yaml|images\/[\w-]+\.png)$/,
    /^examples\/kits\/(?:README\.md|\w+\/\w+\.(?:php|java|py))$/,
    /^fixtures\/[\w.-]+\.json$/,
    /^scenarios\/(?:exam\/)?[\w.-]+\.(?:yaml|json|md)$/,
    /^(?:package\.json|README\.md|LICENSE|(?:CHANGELOG|SECURITY)\.md|openapi(?:-3\.0)?\.yaml|llms\.txt)$/,
  ]
  const paths = files.map(it => it.path)
  expect(paths.filter(path => !allowed.some(form => form.test(path)))).toEqual([])
  expect(paths.filter(path => /(?:^|\/)(?:test|examples\/(?!kits\/)|bench)\/|\.test\./.test(path))).toEqual(
    [],
  )
  for (const paper of ['README.md', 'LICENSE', 'CHANGELOG.md', 'openapi.yaml', 'fixtures/default.json'])
    expect(paths).toContain(paper)
})

it('has the pages that its README and they themselves lead to', () => {
  const papers = files.map(it => it.path).filter(path => path === 'README.md' || path.startsWith('docs/'))
  expect(papers.length).toBeGreaterThan(20)
  const links = papers.flatMap(path =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/\]\(([^)#\s]+)/g)].map(([, target]) => ({
      path,
      target: target!,
    })),
  )
  const missing = links
    .filter(({ target }) => /\.md$/.test(target) && !/^https?:/.test(target))
    .map(({ path, target }) => join(dirname(path), target))
    // What only a clone has; the pages say so.
    .filter(path => !/^(?:examples\/|soak\/|docs\/internals\/|CONTRIBUTING\.md$)/.test(path))
    .filter(path => !existsSync(join(root, path)))
  expect(missing).toEqual([])
})

it('names pages in its exam by where they stand in a project', () => {
  const program = join('node_modules', 'mailing-sync-mock', 'dist', 'main.js')
  const exam = ['exam', '--only', 'reset-after', '--', process.execPath, '-e', '0']
  const { stdout, status } = spawnSync(process.execPath, [program, ...exam], {
    cwd: project,
    encoding: 'utf8',
  })
  expect(status).toBe(1)
  const [, page] = /(\S+\/docs\/[\w-]+\.md)#/.exec(stdout.replaceAll('(', ' ')) ?? []
  expect(page, stdout).toBe('node_modules/mailing-sync-mock/docs/exam.md')
  expect(existsSync(join(project, page!))).toBe(true)
})

it('says nothing of the machine that it was made on', () => {
  for (const { path } of files.filter(it => /\.(?:js|ts|json)$/.test(it.path)))
    expect(readFileSync(join(root, path), 'utf8'), path).not.toContain(process.cwd())
})

it('has its types beside each entry point', () => {
  for (const [name, entry] of Object.entries(
    manifest.exports as Record<string, Record<string, string> | string>,
  )) {
    const targets = typeof entry === 'string' ? [entry] : Object.values(entry)
    for (const target of targets)
      expect(
        files.map(it => `./${it.path}`),
        name,
      ).toContain(target)
  }
})

it('brings nothing of the server, and no package, along with the client of the control API', () => {
  const seen = new Set<string>()
  const visit = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    const text = readFileSync(join(root, file), 'utf8')
    for (const [, target] of text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)) {
      expect(target, `imported by ${file}`).toMatch(/^\.\//)
      visit(join(dirname(file), target!))
    }
  }
  visit('dist/lib/connect.js')
  expect([...seen].filter(file => !/^dist\/lib\/(?:connect|control-)/.test(file))).toEqual([])
  const bytes = [...seen].map(file => readFileSync(join(root, file)).length).reduce((a, b) => a + b)
  expect(bytes).toBeLessThan(32_000)
})

it('says that any in no type that its users see', () => {
  const published = files.filter(it => /^dist\/(?:lib|index)\b.*\.d\.ts$/.test(it.path))
  expect(published.length).toBeGreaterThan(10)
  for (const { path } of published)
    expect(readFileSync(join(root, path), 'utf8'), path).not.toMatch(/[:<,|&=]\s*any\b/)
})
