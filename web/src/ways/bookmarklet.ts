/**
 * The bookmarklet's script: opens the application with the page's URL and title in the fragment, which no server sees.
 */
export function bookmarklet(page = `${location.origin}${location.pathname}`): string {
  const script = `void open(${JSON.stringify(`${page}#save=`)}+encodeURIComponent(location.href)+'&title='+encodeURIComponent(document.title),'_blank','noopener')`;
  return `javascript:${encodeURIComponent(script)}`;
}
