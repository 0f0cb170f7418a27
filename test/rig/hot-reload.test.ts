import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { reloadScenarios } from '../../src/lib/reload-scenarios.ts'
import { ScenarioLibrary } from '../../src/rig/scenarios/library.ts'
import { startMock } from '../mock.ts'

const deadline = { timeout: 60_000, interval: 10 }
const described = (description: string) => `description: ${description}\n`

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'hot-reload-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

/** A mock with the scenario `one` in force in space `demo`, and both of its folders watched. */
async function reloading(own: Readonly<Record<string, string>>, packaged: Readonly<Record<string, string>>) {
  const folder = folderWith(own)
  const mock = await startMock()
  const library = await ScenarioLibrary.open({ folder, packaged: folderWith(packaged) })
  onTestFinished(() => library.close())
  const warned: string[] = []
  const told: string[] = []
  const report = {
    info: (sentence: string) => void told.push(sentence),
    warn: (sentence: string) => void warned.push(sentence),
  }
  await reloadScenarios(library, mock.spaces, { known: () => mock.rig() }, report)
  mock.rig().scenarios.arm(await library.get('one'))
  const inForce = () => mock.rig().scenarios.active!.scenario.description
  return { mock, told, warned, file: join(folder, 'one.yaml'), inForce }
}

describe('a scenario in force', () => {
  it('a scenario in force gives way to a file of its name that the user adds', async () => {
    const { file, inForce } = await reloading({}, { 'one.yaml': described('packaged') })
    writeFileSync(file, described('own'))
    await vi.waitFor(() => expect(inForce()).toBe('own'), deadline)
  })

  it('a scenario in force gives way to the packaged one when the file of the user is removed', async () => {
    const { file, inForce, warned } = await reloading(
      { 'one.yaml': described('own') },
      { 'one.yaml': described('packaged') },
    )
    rmSync(file)
    await vi.waitFor(() => expect(inForce()).toBe('packaged'), deadline)
    expect(warned).toEqual([])
  })

  it('a scenario in force stays when its file is removed and there is no other, which is told', async () => {
    const { file, inForce, warned } = await reloading({ 'one.yaml': described('own') }, {})
    rmSync(file)
    await vi.waitFor(() => expect(warned).toHaveLength(1), deadline)
    expect([inForce(), warned]).toEqual([
      'own',
      ['scenario one has been removed; where it is armed it stays in force'],
    ])
  })

  it('a scenario in force stays when the one behind a removed file is broken, which is told', async () => {
    const { file, inForce, warned } = await reloading(
      { 'one.yaml': described('own') },
      { 'one.yaml': 'oops: 1\n' },
    )
    rmSync(file)
    await vi.waitFor(() => expect(warned).toHaveLength(1), deadline)
    expect(inForce()).toBe('own')
    expect(warned[0]).toMatch(/unknown key "oops".*; what is armed stays in force$/)
  })

  it('of the same name that a control call gave is left alone', async () => {
    const { mock, file, inForce, told } = await reloading({}, { 'one.yaml': described('packaged') })
    mock
      .rig()
      .scenarios.arm({ ...mock.rig().scenarios.active!.scenario, source: 'the body', description: 'given' })
    writeFileSync(file, described('own'))
    await vi.waitFor(() => expect(told).toEqual(['scenario one has been read']), deadline)
    writeFileSync(file, described('own again'))
    await vi.waitFor(() => expect(told).toHaveLength(2), deadline)
    expect(inForce()).toBe('given')
  })
})
