/** Fixes the extension's identifier in Chromium, wherever its folder is: bjeogocfnacfdgfigaialhidmacakoce is a hash of it. */
const KEY =
  'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA2ORoccMJDtThYGQClhibIACe2WFmeth4PNcQvZpiEEpf3E7JrQLdWhhj4Y9Dy9KuQK' +
  'tgWs7qc8PFfxj8sJ+Lj20QDvOaqtoxC7lFQ/n6iN+G1fAQHZvoN90e36wTezsVX66wkSdK1sj2qlqeOL2E06zmVwWvF4QQnLH3zvAZTThYho0h' +
  'HX11GcreOn87HF7Q9zkcT8CU6j+taKhgTlWVsCL+6dppNT7LkicMJqWcOhpCftrIS+cRN08rlFFqsCCnnZHLr2IKVbmY0jkdiZFh/kIERaMEkk' +
  '5AozYR0XP9ceeg/XX9DXzu/rNhYXeL0Sjw7fBM6xcY2mABN8qUQKUFyQIDAQAB';

/** The manifest of a browser, which differ in how they name the background script and the extension itself. */
export function manifestFor(browser, version) {
  return {
    manifest_version: 3,
    name: '__MSG_name__',
    description: '__MSG_description__',
    version,
    default_locale: 'en',
    icons: { 16: 'icons/16.png', 32: 'icons/32.png', 48: 'icons/48.png', 128: 'icons/128.png' },
    action: { default_popup: 'popup.html', default_icon: { 16: 'icons/16.png', 32: 'icons/32.png' } },
    options_ui: { page: 'options.html', open_in_tab: true },
    commands: {
      _execute_action: { suggested_key: { default: 'Alt+Shift+L' } },
      'save-page': { suggested_key: { default: 'Alt+Shift+S' }, description: '__MSG_savePage__' },
    },
    permissions: ['activeTab', 'storage', 'contextMenus', 'scripting', 'identity'],
    // Of these, the service's host is asked for when it is set, and all of them when reading positions are switched on.
    optional_host_permissions: ['http://*/*', 'https://*/*'],
    ...BROWSERS[browser],
  };
}

const BROWSERS = {
  chromium: {
    key: KEY,
    minimum_chrome_version: '120',
    background: { service_worker: 'background.js', type: 'module' },
  },
  firefox: {
    background: { scripts: ['background.js'], type: 'module' },
    browser_specific_settings: {
      gecko: {
        id: 'extension@reading-list.example',
        // The first versions that know `data_collection_permissions`. What is saved goes to the user's own service.
        strict_min_version: '140.0',
        data_collection_permissions: { required: ['bookmarksInfo', 'websiteContent', 'authenticationInfo'] },
      },
      gecko_android: { strict_min_version: '142.0' },
    },
  },
};
