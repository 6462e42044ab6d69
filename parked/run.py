import subprocess,sys,time,json,urllib.request,socket,os,signal,statistics
# run.py BIN [turns] [secs]
bins=sys.argv[1].split(','); turns=int(sys.argv[2]) if len(sys.argv)>2 else 1; secs=float(sys.argv[3]) if len(sys.argv)>3 else 25
boot=open('/tmp/lean/bootstrap').read().strip()
def st(pid):
    s=open(f'/proc/{pid}/status').read()
    g=lambda k:int([l for l in s.split('\n') if l.startswith(k)][0].split()[1])
    t=open(f'/proc/{pid}/stat').read().rsplit(') ',1)[1].split()
    return g('VmRSS:')*1024/1e6,g('VmHWM:')*1024/1e6,(int(t[11])+int(t[12]))/100
def get(port,path):
    return urllib.request.urlopen(f'http://127.0.0.1:{port}{path}',timeout=60).read()
res={b:[] for b in bins}
for t in range(turns):
  for b in bins:
    s=socket.socket(); s.bind(('127.0.0.1',0)); port=s.getsockname()[1]; s.close()
    t0=time.time()
    p=subprocess.Popen(['nice','-n','-5',b,'--bootstrap-servers',boot,'--members','0','--listen',f'127.0.0.1:{port}'],stdout=subprocess.DEVNULL,stderr=open('/tmp/lean/err.log','w'))
    time.sleep(3.4); r1=st(p.pid)
    time.sleep(max(0,secs-3.4)); r2=st(p.pid)
    ev=[];after=0
    first=json.loads(get(port,'/api/events?limit=1'))['events'][0]['seen']
    look=None;lag=None;n=0;seenl=set()
    while True:
        d=json.loads(get(port,f'/api/events?after={after}&limit=10000'))
        for e in d['events']:
            n+=1
            if e['change']['kind']=='group_described' and sum(1 for x in e['change']['told'] if x['change']['kind']=='member_assigned')==3:
                look=e['seen']
            if e['change']['kind']=='group_progress' and e['group'] not in seenl and e['seen']-first<20000:
                seenl.add(e['group']); lag=e['seen']
        if d.get('next') is None: break
        after=d['next']
    l=os.getloadavg()[0]
    row=dict(rss3=round(r1[0]),rss=round(r2[0]),hwm=round(r2[1]),cpu3=r1[2],cpu=r2[2],picture=(look-first)/1000 if look else None,lag=round(lag/1000-t0,3) if lag else None,n=n,nlag=len(seenl),load=round(l,1))
    res[b].append(row); print(os.path.basename(b),json.dumps(row),flush=True)
    p.send_signal(signal.SIGTERM); p.wait()
if turns>1:
  for b in bins:
    print(os.path.basename(b),{k:statistics.median(r[k] for r in res[b] if r[k] is not None) for k in ('rss3','rss','hwm','cpu3','cpu','picture','lag')})
