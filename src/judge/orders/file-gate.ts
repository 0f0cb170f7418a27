import { AsyncLocalStorage } from 'node:async_hooks'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { isAbsolute, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A call of `node:fs` for something in the store that workers share. Paths are relative to it and begin with a slash. */
export interface FileCall {
  /** Such as `writeFile`, for the synchronous and the asynchronous forms. */
  readonly name: string
  readonly reads: readonly string[]
  readonly writes: readonly string[]
}

/** Lets calls pass one by one. */
export interface Gatekeeper {
  /** Returns when a synchronous call may go on. @throws what ends the client */
  pass(call: FileCall): void
  /** Resolves when another one may. */
  passLater(call: FileCall): Promise<void>
  /** Notes how the last call ended: `ok`, or the code of its error. */
  note(call: FileCall, outcome: string): void
}

type Arguments = readonly unknown[]
/** What a call touches, of its arguments as `touched` names them. */
interface Touches {
  readonly reads?: readonly unknown[]
  readonly writes?: readonly unknown[]
}

/** A name that ends with a slash stands for all that is below as well. */
const below = (path: unknown) => ({ below: path })

const reading = ([path]: Arguments): Touches => ({ reads: [path] })
const writing = ([path]: Arguments): Touches => ({ writes: [path] })
const writingBelow = ([path]: Arguments): Touches => ({ writes: [below(path)] })

/** Whether a file that is opened like this may come to be or change. */
const isReadOnly = (flags: unknown) =>
  flags === undefined || flags === 'r' || flags === 'rs' || flags === fs.constants.O_RDONLY

/** The path of the store, where what is in it is not meant. */
const folderItself = '/.'
const { existsSync } = fs
/** A folder that is there stays as it is. */
const making = ([path]: Arguments): Touches =>
  existsSync(path as string) ? { reads: [path] } : { writes: [path] }

/** What the functions of `node:fs` touch, under the name of their form with a callback. The others touch nothing that can be seen. */
const touches: Readonly<Record<string, (args: Arguments) => Touches>> = {
  access: reading,
  exists: reading,
  stat: reading,
  lstat: reading,
  readFile: reading,
  readlink: reading,
  realpath: reading,
  readdir: ([path]) => ({ reads: [below(path)] }),
  opendir: ([path]) => ({ reads: [below(path)] }),
  open: ([path, flags]) => (isReadOnly(flags) ? { reads: [path] } : { writes: [path] }),
  writeFile: writing,
  appendFile: writing,
  truncate: writing,
  utimes: writing,
  lutimes: writing,
  chmod: writing,
  unlink: writing,
  rmdir: writing,
  mkdir: making,
  mkdtemp: writing,
  rm: writingBelow,
  rename: ([from, to]) => ({ writes: [below(from), below(to)] }),
  link: ([from, to]) => ({ reads: [from], writes: [to] }),
  symlink: ([, to]) => ({ writes: [to] }),
  copyFile: ([from, to]) => ({ reads: [from], writes: [to] }),
  cp: ([from, to]) => ({ reads: [below(from)], writes: [below(to)] }),
  read: reading,
  readv: reading,
  fstat: reading,
  write: writing,
  writev: writing,
  ftruncate: writing,
  futimes: writing,
}

/** The same for the methods of what `open` of `node:fs/promises` gives. */
const handleTouches: Readonly<Record<string, 'reads' | 'writes'>> = {
  ...{ read: 'reads', readv: 'reads', readFile: 'reads', stat: 'reads' },
  ...{ write: 'writes', writev: 'writes', writeFile: 'writes', appendFile: 'writes', truncate: 'writes' },
}

type AnyFunction = (...args: unknown[]) => unknown

/**
 * Lets the calls of `node:fs` and `node:fs/promises` of this thread that touch a folder pass one by one. Streams, watchers, `sync` and `close`,
 * programs that are started, and modules in other languages pass as they come.
 */
export class FileGate {
  readonly #keeper: Gatekeeper
  #folder: string | undefined
  /** Paths of open files in the folder, as they are told. */
  readonly #paths = new Map<number, string>()
  #isInside = false
  readonly #inside = new AsyncLocalStorage<true>()

  constructor(keeper: Gatekeeper) {
    this.#keeper = keeper
  }

  /** Calls outside of this folder are no business of other workers. Undefined: all calls pass. */
  watch(folder: string | undefined): void {
    this.#folder = folder
    this.#paths.clear()
  }

  install(): void {
    const callbacks = fs as unknown as Record<string, AnyFunction>
    const promises = fs.promises as unknown as Record<string, AnyFunction>
    for (const [name, touch] of Object.entries(touches)) {
      const call = (args: Arguments) => this.#callOf(name, touch(args))
      const synchronous = callbacks[`${name}Sync`]
      if (synchronous) callbacks[`${name}Sync`] = this.#gated(synchronous, call)
      const later = callbacks[name]
      if (later && typeof later === 'function') callbacks[name] = this.#gatedWithCallback(later, call)
      const promising = promises[name]
      if (promising) promises[name] = this.#gatedPromise(promising, call)
    }
    for (const name of ['close', 'closeSync']) {
      const close = callbacks[name]!
      // The system gives the number to the next file that is opened.
      callbacks[name] = (...args) => {
        this.#paths.delete(args[0] as number)
        return close(...args)
      }
    }
    syncBuiltinESMExports()
  }

  #callOf(name: string, { reads = [], writes = [] }: Touches): FileCall | undefined {
    if (this.#folder === undefined) return undefined
    const seen = (some: readonly unknown[]) => some.flatMap(it => this.#pathOf(it) ?? [])
    const call = { name, reads: seen(reads), writes: seen(writes) }
    return call.reads.length + call.writes.length > 0 ? call : undefined
  }

  /** A path or an open file, relative to the folder; undefined if it is elsewhere. */
  #pathOf(it: unknown): string | undefined {
    if (typeof it === 'number') return this.#paths.get(it)
    if (typeof it === 'object' && it !== null && 'below' in it) {
      const path = this.#pathOf(it.below)
      return path === undefined ? undefined : path === folderItself ? '/' : `${path}/`
    }
    const text = it instanceof URL ? fileURLToPath(it) : Buffer.isBuffer(it) ? it.toString() : it
    if (typeof text !== 'string') return undefined
    const path = relative(this.#folder!, resolve(text))
    if (path === '') return folderItself
    return path.startsWith('..') || isAbsolute(path) ? undefined : `/${path}`
  }

  #noteOpen({ name, reads, writes }: FileCall, result: unknown): void {
    if (name !== 'open') return
    const number = typeof result === 'number' ? result : (result as fs.promises.FileHandle).fd
    this.#paths.set(number, [...reads, ...writes][0]!)
  }

  #gated(original: AnyFunction, callOf: (args: Arguments) => FileCall | undefined): AnyFunction {
    const gate = this
    return function (this: unknown, ...args) {
      const call = gate.#isInside ? undefined : callOf(args)
      if (!call) return original.apply(this, args)
      gate.#keeper.pass(call)
      gate.#isInside = true
      try {
        const result = original.apply(this, args)
        gate.#noteOpen(call, result)
        gate.#keeper.note(call, call.name === 'exists' ? String(result) : 'ok')
        return result
      } catch (error) {
        gate.#keeper.note(call, codeOf(error))
        throw error
      } finally {
        gate.#isInside = false
      }
    }
  }

  #gatedWithCallback(original: AnyFunction, callOf: (args: Arguments) => FileCall | undefined): AnyFunction {
    const gated: AnyFunction = (...args) => {
      const done = args.at(-1)
      if (this.#inside.getStore() || typeof done !== 'function') return original(...args)
      const call = callOf(args)
      if (!call) return original(...args)
      const end = (...results: unknown[]) => {
        const [error, result] = results
        const hasFailed = error instanceof Error
        if (!hasFailed) this.#noteOpen(call, result)
        this.#keeper.note(call, hasFailed ? codeOf(error) : 'ok')
        done.apply(undefined, results)
      }
      void this.#keeper
        .passLater(call)
        .then(() => this.#inside.run(true, () => original(...args.slice(0, -1), end)))
      return undefined
    }
    // Such as the form of `exists` for `promisify`.
    return Object.assign(gated, original)
  }

  #gatedPromise(original: AnyFunction, callOf: (args: Arguments) => FileCall | undefined): AnyFunction {
    return async (...args) => {
      const call = this.#inside.getStore() ? undefined : callOf(args)
      if (!call) return await original(...args)
      return await this.#passing(call, async () => {
        const result = await original(...args)
        if (call.name === 'open') this.#watchHandle(result as fs.promises.FileHandle, call)
        return result
      })
    }
  }

  async #passing<Result>(call: FileCall, work: () => Promise<Result>): Promise<Result> {
    await this.#keeper.passLater(call)
    try {
      const result = await this.#inside.run(true, work)
      this.#keeper.note(call, 'ok')
      return result
    } catch (error) {
      this.#keeper.note(call, codeOf(error))
      throw error
    }
  }

  #watchHandle(handle: fs.promises.FileHandle, { reads, writes }: FileCall): void {
    const [path] = [...reads, ...writes]
    const methods = handle as unknown as Record<string, AnyFunction>
    for (const [name, kind] of Object.entries(handleTouches)) {
      const original = methods[name]!.bind(handle)
      const call = { name, reads: [], writes: [], [kind]: [path!] }
      methods[name] = async (...args) =>
        this.#inside.getStore()
          ? await original(...args)
          : await this.#passing(call, async () => await original(...args))
    }
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? (error as Error).name
