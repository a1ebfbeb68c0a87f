import sys,time,collections
import numpy as np, stablebn as sb
sys.path.insert(0,__file__.rsplit('/',1)[0])
from gpu import *
dev=Device.twin() if "twin" in sys.argv else Device.gpu()
for case in [a for a in sys.argv[1:] if ":" in a]:
    name,rows=case.split(":"); kind,_,n=name.partition("-")
    net=sb.random_network(int(n),kinds="categorical" if kind=="random" else "mixed",seed=1) if n else sb.read_network(next(Path("build/device/networks").glob(name+".*")))
    table=table_of(net,int(rows)); src=GpuSource(TableSource(table,threads=16),dev)
    tot=collections.Counter(); num=collections.Counter(); why={}
    def wrap(o,attr,label):
        f=getattr(o,attr)
        def g(*a):
            b=time.perf_counter(); x=f(*a); d=time.perf_counter()-b; tot[label]+=d; num[label]+=1; why.setdefault(label,[]).append((d,len(a[0]) if a and hasattr(a[0],"__len__") else 0)); return x
        setattr(o,attr,g)
    learned(src,"bic",16)
    wrap(src,"count","count"); wrap(src,"sums","sums"); wrap(src,"distinct","distinct"); wrap(src,"each","each")
    if src._categorical: wrap(src._categorical,"crossed","crossed"); wrap(src._categorical,"listed","listed"); wrap(src._categorical,"strata","strata")
    wrap(src._sums,"summed","summed")
    b=time.perf_counter(); p=define_problem(src,ScoreConfig(),unit_free=not isinstance(table,CategoricalTable),threads=16); m=time.perf_counter(); LEARNERS["tabu-stable"].learn(p,SearchConfig()); e=time.perf_counter()
    print(case,"define",round(m-b,3),"learn",round(e-m,3),{k:(round(v,3),num[k]) for k,v in tot.items()})
    for k,v in why.items(): print("   ",k,"longest",[(round(a,4),c) for a,c in sorted(v,reverse=True)[:6]],"median",round(sorted(v)[len(v)//2][0],5))
