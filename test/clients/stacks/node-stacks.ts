import axios from 'axios'
import got from 'got'
import ky from 'ky'
import superagent from 'superagent'
import { request } from 'undici'
import { type Call, headersOf, inProcess, type Stack } from './stack.ts'

const bodyOf = ({ body }: Call) => (body === undefined ? {} : { body })

export const nodeStacks: readonly Stack[] = [
  inProcess(
    'fetch',
    { reset: 'TypeError ECONNRESET', hang: 'TimeoutError' },
    async call => {
      const { method, url, patience } = call
      const signal = AbortSignal.timeout(patience)
      const answer = await fetch(url, { method, headers: headersOf(call), signal, ...bodyOf(call) })
      return { status: answer.status, text: await answer.text() }
    },
    ({ name, cause }) => [name, cause?.code].filter(Boolean).join(' '),
  ),
  inProcess(
    'undici',
    { reset: 'ECONNRESET', hang: 'UND_ERR_HEADERS_TIMEOUT' },
    async call => {
      const { method, url, patience } = call
      const { statusCode, body } = await request(url, {
        method,
        headers: headersOf(call),
        headersTimeout: patience,
        bodyTimeout: patience,
        ...bodyOf(call),
      })
      return { status: statusCode, text: await body.text() }
    },
    ({ code }) => String(code),
  ),
  inProcess(
    'axios',
    {
      reset: 'AxiosError ECONNRESET',
      hang: 'AxiosError ECONNABORTED',
      takes: { 'length-short': /^error/ },
    },
    async call => {
      const { method, url, patience: timeout, body: data } = call
      const answer = await axios<string>({
        method,
        url,
        headers: headersOf(call),
        timeout,
        data,
        responseType: 'text',
        transformResponse: text => text,
        validateStatus: () => true,
      })
      return { status: answer.status, text: answer.data }
    },
    error => `${axios.isAxiosError(error) ? 'AxiosError' : error.name} ${error.code}`,
  ),
  inProcess(
    'got',
    {
      reset: 'RequestError ECONNRESET',
      hang: 'TimeoutError ETIMEDOUT',
      takes: { 'length-short': /^error/, 'truncate-gzip': /^error/ },
    },
    async call => {
      const { method, url, patience } = call
      const timeout = { request: patience }
      const answer = await got(url, {
        method,
        headers: headersOf(call),
        timeout,
        throwHttpErrors: false,
        ...bodyOf(call),
      })
      return { status: answer.statusCode, text: answer.body }
    },
    ({ name, code }) => `${name} ${code}`,
  ),
  inProcess(
    'ky',
    { reset: 'TypeError ECONNRESET', hang: 'TimeoutError' },
    async call => {
      const { method, url, patience: timeout } = call
      const answer = await ky(url, {
        method,
        headers: headersOf(call),
        timeout,
        // Its own limit ends with the headers.
        signal: AbortSignal.timeout(2 * timeout),
        throwHttpErrors: false,
        ...bodyOf(call),
      })
      return { status: answer.status, text: await answer.text() }
    },
    ({ name, cause }) => [name, cause?.code].filter(Boolean).join(' '),
  ),
  inProcess(
    'superagent',
    {
      reset: 'ECONNRESET',
      hang: 'ECONNABORTED',
      takes: { 'truncate-eof': /^error/, 'length-short': /^error/, 'truncate-gzip': /^error/ },
    },
    async call => {
      const { method, url, patience, body } = call
      const asked = superagent(method, url)
        .set(headersOf(call))
        .timeout({ response: patience, deadline: 2 * patience })
        .ok(() => true)
      const answer = await asked.buffer(true).send(body)
      return { status: answer.status, text: answer.text }
    },
    ({ code }) => String(code),
  ),
]
