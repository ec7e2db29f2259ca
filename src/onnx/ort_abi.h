#pragma once

#include <cstddef>
#include <cstdint>

// The part of ONNX Runtime's C interface that Roost calls, declared here because the library comes without headers. The
// library gives a table of functions that only grows at its end: a function keeps its place for good. What Roost does
// not call is a gap; each place is asserted below and used by onnx_session_test.cc against the real library.
namespace roost::ort {

// The version of the table asked for: everything below is in it since 1.15, and every library from then on gives it.
inline constexpr std::uint32_t kApiVersion = 15;

// Things of the library, seen only as pointers.
struct OrtStatus;
struct OrtEnv;
struct OrtSession;
struct OrtSessionOptions;
struct OrtRunOptions;
struct OrtValue;
struct OrtTypeInfo;
struct OrtTensorTypeAndShapeInfo;
struct OrtMemoryInfo;
struct OrtAllocator;
struct OrtModelMetadata;
struct OrtThreadingOptions;
struct OrtArenaCfg;

enum OrtErrorCode : int {
  kOk = 0,
  kFail = 1,
  kInvalidArgument = 2,
  kNoSuchFile = 3,
  kNoModel = 4,
  kEngineError = 5,
  kRuntimeException = 6,
  kInvalidProtobuf = 7,
  kModelLoaded = 8,
  kNotImplemented = 9,
  kInvalidGraph = 10,
  kEpFail = 11
};
enum OrtLoggingLevel : int { kVerbose = 0, kInfo = 1, kWarning = 2, kError = 3, kFatal = 4 };
enum OnnxType : int { kUnknownType = 0, kTensorType = 1 };
enum OrtAllocatorType : int { kDeviceAllocator = 0, kArenaAllocator = 1 };
enum OrtMemType : int { kDefaultMemory = 0 };
// Also the data types of a model file (TensorProto.DataType).
enum ElementType : int {
  kUndefined = 0,
  kFloat = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kUint32 = 12,
  kUint64 = 13,
  kBfloat16 = 16
};

using LogFunction = void (*)(void* context, OrtLoggingLevel, const char* category, const char* id, const char* place,
                             const char* message);
using Gap = void*;

struct OrtApi {
  Gap gap_0[1];
  OrtErrorCode (*GetErrorCode)(const OrtStatus*);
  const char* (*GetErrorMessage)(const OrtStatus*);
  Gap gap_3[4];
  OrtStatus* (*CreateSession)(const OrtEnv*, const char* path, const OrtSessionOptions*, OrtSession**);
  Gap gap_8[1];
  OrtStatus* (*Run)(OrtSession*, const OrtRunOptions*, const char* const* input_names, const OrtValue* const* inputs,
                    std::size_t input_count, const char* const* output_names, std::size_t output_count,
                    OrtValue** outputs);
  OrtStatus* (*CreateSessionOptions)(OrtSessionOptions**);
  Gap gap_11[6];
  OrtStatus* (*DisableMemPattern)(OrtSessionOptions*);
  Gap gap_18[6];
  OrtStatus* (*SetIntraOpNumThreads)(OrtSessionOptions*, int);
  Gap gap_25[5];
  OrtStatus* (*SessionGetInputCount)(const OrtSession*, std::size_t*);
  OrtStatus* (*SessionGetOutputCount)(const OrtSession*, std::size_t*);
  Gap gap_32[1];
  OrtStatus* (*SessionGetInputTypeInfo)(const OrtSession*, std::size_t index, OrtTypeInfo**);
  OrtStatus* (*SessionGetOutputTypeInfo)(const OrtSession*, std::size_t index, OrtTypeInfo**);
  Gap gap_35[1];
  OrtStatus* (*SessionGetInputName)(const OrtSession*, std::size_t index, OrtAllocator*, char**);
  OrtStatus* (*SessionGetOutputName)(const OrtSession*, std::size_t index, OrtAllocator*, char**);
  Gap gap_38[1];
  OrtStatus* (*CreateRunOptions)(OrtRunOptions**);
  Gap gap_40[1];
  OrtStatus* (*RunOptionsSetRunLogSeverityLevel)(OrtRunOptions*, int level);
  Gap gap_42[4];
  OrtStatus* (*RunOptionsSetTerminate)(OrtRunOptions*);
  Gap gap_47[1];
  OrtStatus* (*CreateTensorAsOrtValue)(OrtAllocator*, const std::int64_t* shape, std::size_t rank, ElementType,
                                       OrtValue**);
  OrtStatus* (*CreateTensorWithDataAsOrtValue)(const OrtMemoryInfo*, void* data, std::size_t size,
                                               const std::int64_t* shape, std::size_t rank, ElementType, OrtValue**);
  OrtStatus* (*IsTensor)(const OrtValue*, int*);
  OrtStatus* (*GetTensorMutableData)(OrtValue*, void**);
  Gap gap_52[1];
  OrtStatus* (*GetStringTensorDataLength)(const OrtValue*, std::size_t*);
  OrtStatus* (*GetStringTensorContent)(const OrtValue*, void* text, std::size_t size, std::size_t* offsets,
                                       std::size_t count);
  OrtStatus* (*CastTypeInfoToTensorInfo)(const OrtTypeInfo*, const OrtTensorTypeAndShapeInfo**);
  OrtStatus* (*GetOnnxTypeFromTypeInfo)(const OrtTypeInfo*, OnnxType*);
  Gap gap_57[3];
  OrtStatus* (*GetTensorElementType)(const OrtTensorTypeAndShapeInfo*, ElementType*);
  OrtStatus* (*GetDimensionsCount)(const OrtTensorTypeAndShapeInfo*, std::size_t*);
  OrtStatus* (*GetDimensions)(const OrtTensorTypeAndShapeInfo*, std::int64_t*, std::size_t rank);
  OrtStatus* (*GetSymbolicDimensions)(const OrtTensorTypeAndShapeInfo*, const char** names, std::size_t rank);
  OrtStatus* (*GetTensorShapeElementCount)(const OrtTensorTypeAndShapeInfo*, std::size_t*);
  OrtStatus* (*GetTensorTypeAndShape)(const OrtValue*, OrtTensorTypeAndShapeInfo**);
  Gap gap_66[3];
  OrtStatus* (*CreateCpuMemoryInfo)(OrtAllocatorType, OrtMemType, OrtMemoryInfo**);
  Gap gap_70[6];
  OrtStatus* (*AllocatorFree)(OrtAllocator*, void*);
  Gap gap_77[1];
  OrtStatus* (*GetAllocatorWithDefaultOptions)(OrtAllocator**);
  Gap gap_79[13];
  void (*ReleaseEnv)(OrtEnv*);
  void (*ReleaseStatus)(OrtStatus*);
  void (*ReleaseMemoryInfo)(OrtMemoryInfo*);
  void (*ReleaseSession)(OrtSession*);
  void (*ReleaseValue)(OrtValue*);
  void (*ReleaseRunOptions)(OrtRunOptions*);
  void (*ReleaseTypeInfo)(OrtTypeInfo*);
  void (*ReleaseTensorTypeAndShapeInfo)(OrtTensorTypeAndShapeInfo*);
  void (*ReleaseSessionOptions)(OrtSessionOptions*);
  Gap gap_101[10];
  OrtStatus* (*SessionGetModelMetadata)(const OrtSession*, OrtModelMetadata**);
  OrtStatus* (*ModelMetadataGetProducerName)(const OrtModelMetadata*, OrtAllocator*, char**);
  OrtStatus* (*ModelMetadataGetGraphName)(const OrtModelMetadata*, OrtAllocator*, char**);
  Gap gap_114[1];
  OrtStatus* (*ModelMetadataGetDescription)(const OrtModelMetadata*, OrtAllocator*, char**);
  Gap gap_116[2];
  void (*ReleaseModelMetadata)(OrtModelMetadata*);
  Gap gap_119[1];
  OrtStatus* (*DisablePerSessionThreads)(OrtSessionOptions*);
  OrtStatus* (*CreateThreadingOptions)(OrtThreadingOptions**);
  void (*ReleaseThreadingOptions)(OrtThreadingOptions*);
  Gap gap_123[7];
  OrtStatus* (*AddSessionConfigEntry)(OrtSessionOptions*, const char* key, const char* value);
  Gap gap_131[13];
  OrtStatus* (*CreateAndRegisterAllocator)(OrtEnv*, const OrtMemoryInfo*, const OrtArenaCfg*);
  Gap gap_145[2];
  OrtStatus* (*SetGlobalIntraOpNumThreads)(OrtThreadingOptions*, int);
  OrtStatus* (*SetGlobalInterOpNumThreads)(OrtThreadingOptions*, int);
  OrtStatus* (*SetGlobalSpinControl)(OrtThreadingOptions*, int);
  Gap gap_150[1];
  OrtStatus* (*CreateEnvWithCustomLoggerAndGlobalThreadPools)(LogFunction, void* context, OrtLoggingLevel,
                                                              const char* id, const OrtThreadingOptions*, OrtEnv**);
  Gap gap_152[3];
  OrtStatus* (*SetGlobalDenormalAsZero)(OrtThreadingOptions*);
  Gap gap_156[1];
  void (*ReleaseArenaCfg)(OrtArenaCfg*);
  Gap gap_158[6];
  OrtStatus* (*CreateArenaCfgV2)(const char* const* keys, const std::size_t* values, std::size_t count, OrtArenaCfg**);
  OrtStatus* (*AddRunConfigEntry)(OrtRunOptions*, const char* key, const char* value);
  Gap gap_166[86];
  // Makes room for one string, of any bytes.
  OrtStatus* (*GetResizedStringTensorElementBuffer)(OrtValue*, std::size_t index, std::size_t size, char** buffer);
};

struct OrtApiBase {
  const OrtApi* (*GetApi)(std::uint32_t version);
  const char* (*GetVersionString)();
};

#define ROOST_ORT_PLACE(name, place) static_assert(offsetof(OrtApi, name) == (place) * sizeof(void*))
ROOST_ORT_PLACE(GetErrorCode, 1);
ROOST_ORT_PLACE(CreateSession, 7);
ROOST_ORT_PLACE(Run, 9);
ROOST_ORT_PLACE(DisableMemPattern, 17);
ROOST_ORT_PLACE(SetIntraOpNumThreads, 24);
ROOST_ORT_PLACE(SessionGetInputCount, 30);
ROOST_ORT_PLACE(SessionGetOutputTypeInfo, 34);
ROOST_ORT_PLACE(SessionGetOutputName, 37);
ROOST_ORT_PLACE(CreateRunOptions, 39);
ROOST_ORT_PLACE(RunOptionsSetRunLogSeverityLevel, 41);
ROOST_ORT_PLACE(RunOptionsSetTerminate, 46);
ROOST_ORT_PLACE(GetTensorMutableData, 51);
ROOST_ORT_PLACE(GetOnnxTypeFromTypeInfo, 56);
ROOST_ORT_PLACE(GetTensorTypeAndShape, 65);
ROOST_ORT_PLACE(CreateCpuMemoryInfo, 69);
ROOST_ORT_PLACE(AllocatorFree, 76);
ROOST_ORT_PLACE(GetAllocatorWithDefaultOptions, 78);
ROOST_ORT_PLACE(ReleaseEnv, 92);
ROOST_ORT_PLACE(ReleaseSessionOptions, 100);
ROOST_ORT_PLACE(SessionGetModelMetadata, 111);
ROOST_ORT_PLACE(ModelMetadataGetDescription, 115);
ROOST_ORT_PLACE(ReleaseModelMetadata, 118);
ROOST_ORT_PLACE(DisablePerSessionThreads, 120);
ROOST_ORT_PLACE(AddSessionConfigEntry, 130);
ROOST_ORT_PLACE(CreateAndRegisterAllocator, 144);
ROOST_ORT_PLACE(SetGlobalSpinControl, 149);
ROOST_ORT_PLACE(CreateEnvWithCustomLoggerAndGlobalThreadPools, 151);
ROOST_ORT_PLACE(SetGlobalDenormalAsZero, 155);
ROOST_ORT_PLACE(ReleaseArenaCfg, 157);
ROOST_ORT_PLACE(CreateArenaCfgV2, 164);
ROOST_ORT_PLACE(AddRunConfigEntry, 165);
ROOST_ORT_PLACE(GetResizedStringTensorElementBuffer, 252);
#undef ROOST_ORT_PLACE

}  // namespace roost::ort
