/** Raw exchanges over TCP or TLS, so that every byte of a response is seen. */
import { connect } from 'node:net'
import { Duplex } from 'node:stream'
import { connect as connectSecurely } from 'node:tls'
import { constants, gunzipSync } from 'node:zlib'
import { jsonText } from './entries.mjs'
import { masked } from './masks.mjs'

/** The host that requests name; links in answers begin with it, whatever the port is. */
export const host = 'localhost:4025'

/**
 * How a connection ended: `FIN` and `RST` came from the server; `open` still stands long after the last byte; `complete`
 * was not waited for, since the answer was complete and the connection may carry more.
 * @typedef {'FIN' | 'RST' | 'open' | 'refused' | 'complete'} End
 * @typedef {{ bytes: Buffer, end: End }} Exchanged
 */

/**
 * @param {string} method @param {string} path
 * @param {{ user?: string, headers?: Record<string, string>, body?: string | Uint8Array }} [more]
 * @returns {Buffer} a request as it goes out
 */
export function requestBytes(method, path, { user, headers = {}, body } = {}) {
  const all = {
    Host: host,
    ...(user && { Authorization: `Basic ${Buffer.from(`${user}:demo`).toString('base64')}` }),
    ...(body !== undefined && {
      'Content-Type': 'application/hal+json',
      'Content-Length': String(Buffer.byteLength(body)),
    }),
    ...headers,
  }
  const lines = Object.entries(all)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([
    Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`),
    ...(body === undefined ? [] : [Buffer.from(body)]),
  ])
}

/**
 * Sends bytes on a new connection and reads until the connection ends, or an answer is complete, or nothing more comes.
 * @param {number} port
 * @param {Uint8Array | readonly Uint8Array[]} bytes several pieces are several requests, each sent after a complete answer
 * @param {{ isHead?: boolean, quiet?: number, isToTheEnd?: boolean, isSettled?: () => Promise<boolean>, whileOpen?: () => Promise<void>, onStart?: () => Promise<void>, ca?: string | undefined }} [options]
 *   `quiet`: milliseconds without a byte after which nothing more is expected; `isToTheEnd`: a complete answer does not
 *   end the reading; `isSettled`: whether the server has come to where silence means that nothing more is to come;
 *   `whileOpen`: is done before a connection that still stands is closed; `onStart`: is done when the
 *   first byte has come; `ca`: the authority to trust, for an exchange over TLS
 * @returns {Promise<Exchanged>} with the bytes of the last answer
 */
export async function exchange(port, bytes, options = {}) {
  const {
    isHead = false,
    quiet = 20_000,
    isToTheEnd = false,
    isSettled = async () => true,
    whileOpen,
    onStart,
    ca,
  } = options
  const pieces = bytes instanceof Uint8Array ? [bytes] : [...bytes]
  let answer = new IncomingAnswer(isHead)
  /** @type {() => void} */
  let onByte = () => {}
  /** @type {() => void} */
  let onRecord = () => {}
  const addByte = (/** @type {number} */ byte) => {
    answer.add(byte)
    onByte()
  }
  const tcp = connectByteByByte(port, ca === undefined ? addByte : undefined)
  const socket = ca === undefined ? tcp.socket : overTls(tcp, ca, () => onRecord())
  if (ca !== undefined) socket.on('data', bytes => bytes.forEach(addByte))
  /** @type {End} */
  const end = await new Promise((resolve, reject) => {
    /** @type {Promise<unknown> | undefined} */
    let started
    // On a busy machine silence says little: only a server that has come so far can have no more to say.
    const timer = setTimeout(async () => {
      const { length } = answer
      await started
      const isOver = (await isSettled()) && answer.length === length
      if (isOver) resolve('open')
      else timer.refresh()
    }, quiet)
    const next = () => {
      const piece = pieces.shift() ?? ''
      answer = new IncomingAnswer(isHead && pieces.length === 0)
      socket.write(piece)
      timer.refresh()
    }
    onRecord = () => void timer.refresh()
    onByte = () => {
      timer.refresh()
      if (answer.length === 1) {
        started = onStart?.()
        started?.catch(reject)
      }
      if (!answer.isComplete) return
      if (pieces.length > 0) next()
      else if (!isToTheEnd && !answer.closes) resolve('complete')
    }
    socket.on(ca === undefined ? 'connect' : 'secureConnect', next)
    socket.on('end', () => resolve('FIN'))
    socket.on('error', error => {
      const { code } = /** @type {NodeJS.ErrnoException} */ (error)
      resolve(code === 'ECONNREFUSED' ? 'refused' : 'RST')
    })
    socket.on('close', () => clearTimeout(timer))
  })
  if (end === 'open') await whileOpen?.()
  socket.destroy()
  return { bytes: answer.bytes, end }
}

/**
 * Byte by byte: after reading less than it could, Node takes a reset that is there already for an end.
 * @param {number} port @param {(byte: number) => void} [onByte] may be set later
 */
function connectByteByByte(port, onByte = () => {}) {
  const buffer = new Uint8Array(1)
  const callback = () => {
    tcp.onByte(buffer[0] ?? 0)
    return true
  }
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } })
  const tcp = { socket, onByte }
  return tcp
}

/**
 * @param {ReturnType<typeof connectByteByByte>} tcp @param {string} ca
 * @param {() => void} onRecord called while a record comes, of which nothing can be read before its end
 */
function overTls(tcp, ca, onRecord) {
  const { socket } = tcp
  const bytes = new Duplex({
    read() {},
    write: (chunk, _, done) => void socket.write(chunk, () => done()),
    final: done => void socket.end(() => done()),
    destroy(error, done) {
      socket.destroy()
      done(error)
    },
  })
  tcp.onByte = byte => {
    onRecord()
    bytes.push(Buffer.of(byte))
  }
  socket.on('end', () => bytes.push(null)).on('error', error => bytes.destroy(error))
  return connectSecurely({ socket: bytes, servername: 'localhost', ca })
}

const lastChunk = Buffer.from('\r\n0\r\n\r\n')
const endOfLines = Buffer.from('\r\n\r\n')

/** An answer as it comes, interim answers before it included. */
class IncomingAnswer {
  #isHead
  #buffer = Buffer.alloc(65_536)
  #length = 0
  /** Where the head that is being read begins. */
  #start = 0
  /** Of everything, once it is known. */
  #whole = Infinity
  #isChunked = false
  closes = false
  isComplete = false

  /** @param {boolean} isHead whether it answers a HEAD request */
  constructor(isHead) {
    this.#isHead = isHead
  }

  get length() {
    return this.#length
  }

  get bytes() {
    return this.#buffer.subarray(0, this.#length)
  }

  /** @param {number} byte */
  add(byte) {
    if (this.#length === this.#buffer.length) this.#buffer = Buffer.concat([this.#buffer, this.#buffer])
    this.#buffer[this.#length++] = byte
    const isInHead = this.#whole === Infinity && !this.#isChunked
    if (byte === 10 && isInHead && this.#endsWith(endOfLines)) this.#readHead()
    this.isComplete = this.#length >= this.#whole || (this.#isChunked && this.#endsWith(lastChunk))
  }

  /** @param {Buffer} text */
  #endsWith(text) {
    return this.#buffer.subarray(Math.max(0, this.#length - text.length), this.#length).equals(text)
  }

  #readHead() {
    const head = this.#buffer.toString('latin1', this.#start, this.#length)
    const status = Number(head.slice(9, 12))
    if (status < 200) {
      this.#start = this.#length
      return
    }
    this.closes = /^connection: close/im.test(head)
    const length = /^content-length: (\d+)/im.exec(head)?.[1]
    this.#isChunked = /^transfer-encoding: chunked/im.test(head) && !this.#isHead
    if (this.#isHead || status === 204 || status === 304) this.#whole = this.#length
    else if (length !== undefined) this.#whole = this.#length + Number(length)
  }
}

/** @typedef {{ status: number, headers: Record<string, string>, body: string }} Answer */

/** @param {Buffer} bytes @returns {Answer} a response with a body as it stands, for what the next request needs of it */
export function answerOf(bytes) {
  const end = bytes.indexOf('\r\n\r\n')
  const [first = '', ...lines] = bytes.toString('latin1', 0, Math.max(end, 0)).split('\r\n')
  const headers = Object.fromEntries(
    lines.map(line =>
      line
        .toLowerCase()
        .split(/: (.*)/s)
        .slice(0, 2),
    ),
  )
  return { status: Number(first.slice(9, 12)), headers, body: bytes.toString('utf8', end + 4) }
}

/**
 * An answer as it is recorded: CR is shown as ␍, and a body of compact JSON with a line for each member.
 * @param {Exchanged} exchanged
 */
export function shown({ bytes, end }) {
  if (bytes.length === 0) return `(nothing, then ${end})`
  const last = end === 'complete' ? '' : `\n(then ${end})`
  const head = bytes.subarray(0, endOfHead(bytes))
  const body = bytes.subarray(head.length)
  const headText = maskedHead(visible(head)).replace(/\n$/, '')
  if (body.length === 0) return headText + last
  return `${headText}\n${shownBody(body, head.toString('latin1'))}${last}`
}

/** @param {Buffer} bytes @returns {number} where the head of the last answer ends; an interim answer goes before it */
function endOfHead(bytes, from = 0) {
  const end = bytes.indexOf('\r\n\r\n', from)
  if (end < 0) return bytes.length
  return bytes[from + 9] === 0x31 ? endOfHead(bytes, end + 4) : end + 4
}

/** @param {Buffer} body @param {string} head */
function shownBody(body, head) {
  if (/^content-encoding: gzip/im.test(head)) {
    const plain = gunzipSync(body, { finishFlush: constants.Z_SYNC_FLUSH })
    return `(gzip, of which ${body.length} bytes came)\n${visible(plain)}`
  }
  const text = visible(body)
  try {
    const json = JSON.parse(text)
    if (JSON.stringify(json) === text)
      return `(compact JSON, ${body.length} bytes)\n${jsonText(masked(json))}`
  } catch {
    // Not JSON, or cut.
  }
  return text
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** @param {Buffer} bytes text with what cannot be seen made visible */
function visible(bytes) {
  let text
  try {
    text = utf8.decode(bytes)
  } catch {
    text = bytes.toString('latin1').replaceAll(/[\x80-\xff]/g, hex)
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones
  return text.replaceAll('\r', '␍').replaceAll(/[\x00-\x08\x0b-\x1f\x7f]/g, hex)
}

/** @param {string} character */
const hex = character => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`

/** @param {string} head */
const maskedHead = head =>
  head
    .replaceAll(/^(date: )\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/gim, '$1(now)')
    .replaceAll(/^(server-timing: .*dur=)[\d.]+/gim, '$1(time)')
