/* SPDX-License-Identifier: MIT */
#include "analysis/gauss_model.h"
#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"
static gauss_model t;
static void show(double a){
    zw_gauss_result r = gauss_minimise(&t,a);
    printf("  a %g G %.6g rms %.8f x %.5f %.5f it %d ev %d conv %d grad %.2g\n",a,r.value,gauss_rms(&t,0),t.x[0],t.x[1],r.iterations,r.evaluations,r.converged,r.gradient);
}
static void test_all(void **state){
    (void)state;
    for (int method=0; method<4; method++) {
    printf("method %d\n",method);
    gauss_open(&t, MODEL("duffing"), NULL, "Omega");
    t.options.method=method;
    gauss_trial(&t,1,2,1);
    zw_gauss_starts s=zw_gauss_starts_default(); s.grid=5;
    double O[]={.8,1.4,1.8,2.5};
    for(int i=0;i<4;i++){ const zw_gauss_minimum*l;int n; assert_int_equal(zw_gauss_integral_search(t.g,O[i],&s,&l,&n,&t.m.err),0);
      for(int k=0;k<n;k++){printf("%g: (%.5f %.5f; %.6g; %.6f) %d\n",O[i],l[k].x[0],l[k].x[1],l[k].result.value,zw_gauss_integral_rms(t.g,l[k].x,0),l[k].starts);}}
    for (int top=1;top<=11;top+=2){memset(t.x,0,sizeof t.x);gauss_trial(&t,1,2,top);memset(t.x,0,sizeof t.x);t.x[0]=t.x[1]=2;show(1.4);}
    for (int top=1;top<=11;top+=2){gauss_trial(&t,1,2,top);memset(t.x,0,sizeof t.x);show(1.8);}
    for (int top=1;top<=11;top+=2){gauss_trial(&t,1,2,top);memset(t.x,0,sizeof t.x);t.x[0]=t.x[1]=2;show(2.5);}
    gauss_close(&t);
    }
}
int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
