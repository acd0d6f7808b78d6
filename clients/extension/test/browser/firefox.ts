import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ensureDebianPackages } from '../../../../test/support/servers/packages.js';
import { startServer } from '../../../../test/support/servers/process.js';
import type { RunningServer } from '../../../../test/support/servers/running-server.js';
import { createScratchFolder } from '../../../../test/support/servers/scratch-folder.js';
import { Marionette } from './marionette.js';

const ID = 'extension@reading-list.example';
/** Where the provider's login ends, for Firefox. */
export const REDIRECT_DOMAIN = `${createHash('sha1').update(ID).digest('hex')}.extensions.allizom.org`;
const ARGUMENTS = ['--headless', '--no-remote', '--marionette', '--remote-allow-system-access'];
const PREFERENCES = {
  'marionette.port': 0,
  // Questions can be answered at once.
  'security.notification_enable_delay': 0,
  'intl.locale.requested': 'en-US',
  // Nothing but what a test does goes to the network.
  'app.normandy.enabled': false,
  'browser.newtabpage.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,#remote-settings-dummy/v1',
};

/** In the browser's own window: it, and what it knows of the extension. */
const EXTENSION = `
  const window = Services.wm.getMostRecentWindow('navigator:browser');
  const { extension } = WebExtensionPolicy.getByID('${ID}');
  const { ExtensionParent } = ChromeUtils.importESModule('resource://gre/modules/ExtensionParent.sys.mjs');
  const action = ExtensionParent.apiManager.global.browserActionFor(extension);
  const until = async (find) => {
    for (let tries = 0; tries < 500; tries++) {
      const found = find();
      if (found) return found;
      await new Promise((resolve) => window.setTimeout(resolve, 20));
    }
    throw new Error(String(find));
  };
  const popup = () =>
    [...window.document.querySelectorAll('browser')].find(({ currentURI }) => currentURI?.spec === extension.baseURL + 'popup.html');
`;

/** Firefox with a profile of its own, in which the extension is installed as a user would install it for development. */
export class Firefox {
  readonly #server: RunningServer;
  readonly #marionette: Marionette;

  private constructor(server: RunningServer, marionette: Marionette) {
    this.#server = server;
    this.#marionette = marionette;
  }

  /** @param built the folder that the extension was built in */
  static async start(built: string): Promise<Firefox> {
    await ensureDebianPackages({ 'firefox-esr': 'firefox-esr' });
    const folder = createScratchFolder();
    const lines = Object.entries(PREFERENCES).map(
      ([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`,
    );
    writeFileSync(join(folder.path, 'user.js'), lines.join(''));
    let marionette: Marionette | undefined;
    const server = await startServer({
      // Firefox does not start as root where the home folder is another user's.
      command: 'env',
      args: [`HOME=${folder.path}`, 'firefox-esr', ...ARGUMENTS, '--profile', folder.path],
      folder,
      ready: async () => {
        const port = Number(readFileSync(join(folder.path, 'MarionetteActivePort'), 'utf8'));
        marionette = await Marionette.connect(port);
      },
    });
    await marionette!.send('WebDriver:NewSession', { timeouts: { implicit: 10_000 } });
    await marionette!.send('Addon:Install', { path: join(built, 'firefox'), temporary: true });
    return new Firefox(server, marionette!);
  }

  async close(): Promise<void> {
    this.#marionette.close();
    await this.#server.remove();
  }

  /** A page of the web in the tab. */
  async open(url: string): Promise<void> {
    await this.#marionette.send('WebDriver:Navigate', { url });
  }

  /** A page of the extension in the tab. */
  async openOwn(path: string): Promise<void> {
    await this.open(await this.#inBrowser<string>('return extension.baseURL + values[0];', path));
  }

  click(path: string): Promise<void> {
    return this.#marionette.click(path);
  }

  type(path: string, text: string): Promise<void> {
    return this.#marionette.type(path, text);
  }

  inPage<T>(body: string): Promise<T> {
    return this.#marionette.inPage(body);
  }

  /** Waits until the page says so. */
  async says(text: string | RegExp): Promise<void> {
    await expect.poll(() => this.inPage('return document.body.innerText'), { timeout: 10_000 }).toMatch(text);
  }

  /** Allows what the extension has asked the user for; what that is, as patterns of hosts. */
  async allow(): Promise<string[]> {
    await this.#inBrowser(`
      const question = () => window.document.getElementById('addon-webext-permissions-notification');
      (await until(() => window.PopupNotifications.isPanelOpen && question()?.button)).click();
      await until(() => !window.PopupNotifications.isPanelOpen);
    `);
    return this.#inBrowser(`return extension.allowedOrigins.patterns.map(({ pattern }) => pattern)
      .filter((pattern) => pattern.startsWith('http') || pattern.startsWith('*'));`);
  }

  /** Clicks the extension's button in the toolbar, and waits for the popup. */
  async clickButton(): Promise<void> {
    await this.#inBrowser(`
      window.CustomizableUI.addWidgetToArea(action.widget.id, 'nav-bar');
      window.document.getElementById(action.widget.id).querySelector('.unified-extensions-item-action-button').click();
      await until(popup);
    `);
  }

  /** Waits until the popup says so. */
  async popupSays(text: string | RegExp): Promise<void> {
    const read = () => this.#inPopup<string>('return document.body.innerText');
    await expect.poll(read, { timeout: 10_000 }).toMatch(text);
  }

  /** Closes the popup if it is open, as a click beside it does. */
  async closePopup(): Promise<void> {
    await this.#inBrowser('popup()?.closest("panel").hidePopup(); await until(() => !popup());');
  }

  /** What the button shows on the tab. */
  badge(): Promise<string | null> {
    return this.#inBrowser(`return action.action.getProperty(window.gBrowser.selectedTab, 'badgeText');`);
  }

  /** Turns the mouse's wheel over the page. */
  async scroll(pixels: number): Promise<void> {
    const actions = [{ type: 'scroll', x: 200, y: 200, deltaX: 0, deltaY: pixels }];
    await this.#marionette.send('WebDriver:PerformActions', { actions: [{ type: 'wheel', id: 'wheel', actions }] });
  }

  /** Does something in the window that has opened and closes after it. */
  async inNewWindow(work: () => Promise<void>): Promise<void> {
    const handles = () => this.#marionette.send<string[]>('WebDriver:GetWindowHandles');
    const { value: own } = await this.#marionette.send<{ value: string }>('WebDriver:GetWindowHandle');
    const find = async () => (await handles()).find((handle) => handle !== own);
    await expect.poll(find, { timeout: 10_000 }).toBeDefined();
    await this.#marionette.send('WebDriver:SwitchToWindow', { handle: await find() });
    await work();
    await expect.poll(find, { timeout: 10_000 }).toBeUndefined();
    await this.#marionette.send('WebDriver:SwitchToWindow', { handle: own });
  }

  #inBrowser<T>(body: string, ...values: unknown[]): Promise<T> {
    return this.#marionette.inBrowser(EXTENSION + body, ...values);
  }

  /** Marionette's commands reach tabs; its actor, which carries them out, is in the popup as well. */
  #inPopup<T>(script: string): Promise<T> {
    return this.#inBrowser(
      `const { getMarionetteCommandsActorProxy } = ChromeUtils.importESModule('chrome://remote/content/marionette/actors/MarionetteCommandsParent.sys.mjs');
      const { browsingContext } = await until(popup);
      return getMarionetteCommandsActorProxy(() => browsingContext).executeScript(values[0], [], { sandboxName: null, timeout: 5_000 });`,
      script,
    );
  }
}
