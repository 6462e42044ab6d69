import json,sys,subprocess,time,urllib.request,base64,tempfile,shutil
# shot.py NAME URL W H THEME [js...]
name,url,w,h,theme=sys.argv[1:6]; js=sys.argv[6:]
port=9700+int(time.time())%200
d=subprocess.Popen(['chromedriver',f'--port={port}'],stdout=subprocess.DEVNULL,stderr=subprocess.DEVNULL)
prof=tempfile.mkdtemp(dir='/tmp/story')
def call(m,path,body=None,t=120):
    r=urllib.request.Request(f'http://127.0.0.1:{port}{path}',method=m,data=None if body is None else json.dumps(body).encode(),headers={'content-type':'application/json'})
    return json.load(urllib.request.urlopen(r,timeout=t))['value']
try:
    for _ in range(200):
        try: call('GET','/status'); break
        except Exception: time.sleep(.3)
    args=['--headless','--no-sandbox','--disable-gpu','--disable-quic','--no-first-run','--disable-background-networking','--disable-component-update','--disable-sync',f'--user-data-dir={prof}',f'--window-size={w},{h}']
    s=call('POST','/session',{'capabilities':{'alwaysMatch':{'goog:chromeOptions':{'args':args,'binary':'/usr/bin/chromium'}}}})['sessionId']
    b=f'/session/{s}'
    def cdp(cmd,params): return call('POST',b+'/goog/cdp/execute',{'cmd':cmd,'params':params})
    cdp('Emulation.setDeviceMetricsOverride',{'width':int(w),'height':int(h),'deviceScaleFactor':1,'mobile':int(w)<600})
    cdp('Emulation.setEmulatedMedia',{'features':[{'name':'prefers-color-scheme','value':theme}]})
    call('POST',b+'/url',{'url':url})
    for _ in range(120):
        if call('POST',b+'/execute/sync',{'script':"return !!document.querySelector('[data-testid=timeline],[data-testid=group-row],[data-testid=event-row],.notice')",'args':[]}): break
        time.sleep(.5)
    time.sleep(2)
    for script in js:
        r=call('POST',b+'/execute/sync',{'script':script,'args':[]}); 
        if r is not None: print(r)
        time.sleep(2)
    open(f'/tmp/story/shots/{name}.png','wb').write(base64.b64decode(call('GET',b+'/screenshot')))
    call('DELETE',b)
finally:
    d.terminate(); d.wait(); shutil.rmtree(prof,ignore_errors=True)
