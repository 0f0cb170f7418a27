/** What is used of it here; it brings no types. */
declare module 'hal-http-client' {
  interface Hal {
    follow(
      representation: object,
      relation: string,
      options?: { readonly vars?: Readonly<Record<string, string>>; readonly followEmbedded?: boolean },
    ): {
      on(handlers: Readonly<Record<string, (data: unknown, response: Response) => unknown>>): Promise<unknown>
    }
  }
  interface Call {
    readonly url: string
    readonly init: RequestInit
  }
  const halHttp: {
    create(options: {
      readonly headers: Readonly<Record<string, string>>
      readonly middlewares: readonly { request(call: Call): Call }[]
    }): Hal
  }
  export default halHttp
}
