/** What a browser does in a login, without one: it keeps cookies by path and shows every redirect to the test. */
export class HttpBrowser {
  private readonly cookies = new Map<string, { value: string; path: string }>();

  /** One request, redirects not followed. */
  async visit(url: string, form?: Record<string, string>): Promise<Response> {
    const { pathname } = new URL(url);
    const sent = [...this.cookies].filter(([, { path }]) => pathname === path || pathname.startsWith(`${path}/`));
    const cookie = sent.map(([name, { value }]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      redirect: 'manual',
      headers: cookie ? { cookie } : {},
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const header of response.headers.getSetCookie()) this.keep(header, pathname);
    return response;
  }

  /** From the provider's address to the callback's, which is not visited: signs in under a name. */
  async signIn(location: string, name: string): Promise<string> {
    const form = await this.follow(location, (url) => new URL(url).pathname.startsWith('/login/'));
    const answer = await this.visit(form, { login: name });
    const next = new URL(answer.headers.get('location')!, form).href;
    return this.follow(next, (url) => new URL(url).searchParams.has('state'));
  }

  /** The names of the login cookies it has for the service. */
  logins(): string[] {
    return [...this.cookies.keys()].filter((name) => name.startsWith('login-'));
  }

  private async follow(start: string, isEnd: (url: string) => boolean): Promise<string> {
    let url = start;
    // The authorization endpoint's own address has a state, too.
    for (let step = 0; step < 10 && (step === 0 || !isEnd(url)); step++) {
      const location = (await this.visit(url)).headers.get('location');
      if (location === null) throw new Error(`${url} leads nowhere`);
      url = new URL(location, url).href;
    }
    return url;
  }

  private keep(header: string, defaultPath: string): void {
    const [pair, ...attributes] = header.split(/; */);
    const [name, value] = [pair!.slice(0, pair!.indexOf('=')), pair!.slice(pair!.indexOf('=') + 1)];
    const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? defaultPath;
    const isGone = attributes.some((attribute) => /^max-age=0$|^expires=thu, 01 jan 1970/i.test(attribute));
    if (isGone) this.cookies.delete(name);
    else this.cookies.set(name, { value, path: path.replace(/\/$/, '') });
  }
}
